-- In the order final_queries.cpp reads; a WHERE clause and an ORDER BY follow.
SELECT f.id, p.family, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       f.chosen, f.rounds, f.throttled_rounds, f.run, f.measured_at, f.sequence
FROM finals AS f
JOIN cases AS n ON n.id = f.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
