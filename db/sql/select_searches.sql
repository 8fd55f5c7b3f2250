-- In the order searches.cpp reads; a WHERE clause and an ORDER BY follow.
SELECT s.id, p.family, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       s.run, s.strategy, s.ending, s.tried, s.failed, s.ended_at, s.gain, s.low, s.high, s.estimate,
       s.stretch, coalesce(s.behind, 0), coalesce(s.behind_at_worst, 0),
       coalesce(s.faster, 0)
FROM searches AS s
JOIN contests AS n ON n.id = s.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
