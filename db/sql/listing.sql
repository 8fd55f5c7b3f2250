-- What lists rows for people and exports. Each statement begins with its name, as db::sql() takes it.

-- # select_trial_keys
-- The identifiers alone, sorted before anything wide is read; a WHERE clause and order_trials.sql follow.
SELECT t.id
FROM trials AS t
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration

-- # order_trials
-- Shorter size texts first: 512 before 1024.
ORDER BY p.family, length(p.size), p.size, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.l2, c.method,
         c.inputs, c.execution, k.name, t.median_ns IS NULL, t.median_ns, f.json, t.id

-- # select_cases
-- From the tallies alone, of what today's specs describe; a WHERE clause and GROUP BY follow.
SELECT n.id, {case},
       total(y.trials) FILTER (WHERE y.status = 'ok' AND y.role <> 'baseline'), total(y.trials) FILTER (WHERE y.status = 'dropped'),
       total(y.trials) FILTER (WHERE y.status = 'skipped'),
       total(y.trials) FILTER (WHERE y.status NOT IN ('ok', 'dropped', 'skipped')),
       max(y.latest)
FROM problems AS p
JOIN cases AS n ON n.problem = p.id
JOIN environments AS c ON c.id = n.environment
JOIN tallies AS y ON y.tuning_case = n.id AND y.trials > 0 AND y.superseded = 0
JOIN kernels AS k ON k.id = y.kernel

-- # select_open_attempts
SELECT a.trial, k.name, f.json, k.parameters, p.family, p.sizes, p.type, p.row_padding, c.device, a.pid,
       a.machine = ? AND a.boot = ?, a.opened_at
FROM attempts AS a
JOIN cases AS n ON n.id = a.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL
ORDER BY a.opened_at, a.id
