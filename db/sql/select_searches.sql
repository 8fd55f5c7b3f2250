-- In the order searches.cpp reads; a WHERE clause and an ORDER BY follow.
SELECT s.id, p.family, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       s.run, s.strategy, s.ending, s.tried, s.failed, s.ended_at, s.gain, s.low, s.high, s.estimate,
       s.stretch, s.behind, s.behind_at_worst, s.faster
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
