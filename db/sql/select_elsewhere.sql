-- The contests of a family and an element type that know anything, from the tallies alone: of what today's specs
-- describe, and of what they described before.
SELECT n.id, p.family, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       y.superseded, total(y.trials) FILTER (WHERE y.status IN ('ok', 'dropped')) AS timed
FROM problems AS p
JOIN cases AS n ON n.problem = p.id
JOIN environments AS c ON c.id = n.environment
JOIN tallies AS y ON y.tuning_case = n.id AND y.trials > 0 AND y.role <> 'baseline'
WHERE p.family = ? AND p.type = ?
GROUP BY n.id, y.superseded
HAVING timed > 0
