-- The identifiers alone, sorted before anything wide is read; a WHERE clause and order_trials.sql follow.
SELECT t.id
FROM trials AS t
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
