-- From the tallies alone, of what today's specs describe; a WHERE clause and GROUP BY follow.
SELECT n.id, p.family, p.sizes, p.type, p.row_padding,
       c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       total(y.trials) FILTER (WHERE y.status = 'ok' AND y.role <> 'baseline'), total(y.trials) FILTER (WHERE y.status = 'dropped'),
       total(y.trials) FILTER (WHERE y.status = 'skipped'),
       total(y.trials) FILTER (WHERE y.status NOT IN ('ok', 'dropped', 'skipped')),
       max(y.latest)
FROM problems AS p
JOIN cases AS n ON n.problem = p.id
JOIN environments AS c ON c.id = n.environment
JOIN tallies AS y ON y.tuning_case = n.id AND y.trials > 0 AND y.superseded = 0
JOIN kernels AS k ON k.id = y.kernel
