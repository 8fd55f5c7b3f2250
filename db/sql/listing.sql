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
         c.inputs, k.name, t.median_ns IS NULL, t.median_ns, f.json, t.id

-- # select_cases
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

-- # select_devices
-- Of the runs on a device the last one says how it was addressed (a bare column beside max() comes from that row).
SELECT coalesce(r.device_address, ''),
       d.kind, d.name, d.uuid, d.architecture, d.compute_major, d.compute_minor, d.driver, d.memory_bytes, d.limits,
       max(r.started_at)
FROM devices AS d
LEFT JOIN runs AS r ON r.device = d.id
GROUP BY d.id
ORDER BY d.name, d.uuid, d.driver

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

-- # select_finals
-- In the order final_queries.cpp reads; a WHERE clause and an ORDER BY follow.
SELECT f.id, p.family, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       f.chosen, f.rounds, f.throttled_rounds, f.run, f.measured_at, f.sequence
FROM finals AS f
JOIN cases AS n ON n.id = f.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem

-- # select_searches
-- In the order searches.cpp reads; a WHERE clause and an ORDER BY follow.
SELECT s.id, p.family, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       s.run, s.strategy, s.ending, s.tried, s.failed, s.ended_at, s.gain, s.low, s.high, s.estimate,
       s.stretch, s.behind, s.behind_at_worst, s.faster
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
