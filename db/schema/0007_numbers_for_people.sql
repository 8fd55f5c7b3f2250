-- Version 7. Views for people: sizes that sort as numbers, the first metric, the ratio to the best.
--
-- No table changes. Of SQLite's JSON functions json_each alone may stand in a schema that is not trusted (before 3.41).

DROP VIEW trial;
DROP VIEW best;
DROP VIEW final;
DROP VIEW failure;
DROP VIEW search;
DROP VIEW open_attempt;

-- The product of the sizes is `volume`, a number to sort by. (`id` is as the tables have it, to be joined with.)
CREATE VIEW problem AS
SELECT p.id, p.family, p.size,
       (WITH RECURSIVE product (last, volume) AS (
          SELECT -1, 1
          UNION ALL
          SELECT j.id, volume * j.value FROM product, json_each(p.sizes) AS j
          WHERE j.id = (SELECT min(id) FROM json_each(p.sizes) WHERE id > last))
        SELECT volume FROM product ORDER BY last DESC LIMIT 1) AS volume,
       p.sizes, p.type, p.row_padding
FROM problems AS p;

-- Times in milliseconds; `id` is what `tuner show` takes. `metric`: the first of the spec's metrics, NULL
-- where that is no finite number. `ratio`: its time by that of the one to use in its contest, as `winner` says.
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.volume, p.sizes, p.type, p.row_padding,
       f.json AS configuration, t.status,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       t.median_ns / (SELECT o.median_ns FROM winner AS w JOIN trials AS o ON o.id = w.trial
                      WHERE w.contest = t.contest AND w.kernel IS NULL) AS ratio,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy, t.limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block, y.compile_ms,
       t.is_default, t.superseded, t.competes, t.verified, t.rule, t.error_ratio, t.detail,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(t.contest)) AS contest, t.idea, t.measured_at,
       lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS y ON y.id = t.binary
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;

-- The one to use at each size, class by class. `remeasured`: it was found by a final; `tied`: how many others could
-- then not be told from the fastest.
CREATE VIEW best AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       t.verified, a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs, lower(hex(t.contest)) AS contest, t.idea, t.measured_at,
       lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;

-- Every final whose choice still counts, with its contestants, fastest first. `ratio`: a contestant's time by that of
-- the fastest.
CREATE VIEW final AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, l.measured_at, l.rounds, l.throttled_rounds, e.place,
       k.name AS kernel, t.role, f.json AS configuration, e.ratio, e.ratio_low, e.ratio_high, e.tied,
       e.trial = l.chosen AS chosen, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs,
       lower(hex(l.contest)) AS contest, lower(hex(e.trial)) AS id, lower(hex(l.run)) AS run
FROM finals AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN contests AS n ON n.id = l.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE (SELECT competes FROM trials WHERE id = l.chosen) = 1;

-- What went wrong and why; the compiler's log where there is one.
CREATE VIEW failure AS
SELECT lower(hex(t.id)) AS id, t.status, p.family, k.name AS kernel, p.size, p.volume, p.sizes, p.type, p.row_padding,
       f.json AS configuration, t.detail, b.log, c.device, c.driver, c.toolkit, lower(hex(t.contest)) AS contest,
       t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS b ON b.id = t.binary
WHERE t.status NOT IN ('ok', 'dropped', 'skipped');

-- Every search, with the space as it was then.
CREATE VIEW search AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding,
       (SELECT sum(candidates) FROM search_kernels WHERE search = s.id) AS candidates, s.tried, s.failed, s.strategy,
       s.ending, s.gain, s.low, s.high, s.estimate, c.device, c.driver, c.toolkit, c.l2, c.method, c.inputs,
       lower(hex(s.contest)) AS contest, s.ended_at, lower(hex(s.run)) AS run
FROM searches AS s
JOIN contests AS n ON n.id = s.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem;

-- Launches that nobody saw end.
CREATE VIEW open_attempt AS
SELECT lower(hex(a.trial)) AS trial, p.family, k.name AS kernel, p.size, p.volume, p.sizes, f.json AS configuration,
       c.device, a.pid, a.boot, a.opened_at
FROM attempts AS a
JOIN contests AS n ON n.id = a.contest
JOIN classes AS c ON c.id = n.class
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL;

-- Every invocation that measured something; `device` is the first it used.
CREATE VIEW run AS
SELECT lower(hex(r.id)) AS id, r.started_at, r.ended_at, r.state, r.measured, r.command_line, r.strategy, r.seed,
       d.name AS device, r.device_address, r.toolkit, r.host, r.version
FROM runs AS r
JOIN devices AS d ON d.id = r.device;

-- Every measurement of every trial; the current one, which `trial` shows, among them.
CREATE VIEW measurement AS
SELECT lower(hex(m.trial)) AS trial, lower(hex(m.run)) AS run, m.measured_at, t.measurement IS m.id AS current, m.status,
       m.median_ns / 1e6 AS median_ms, m.low_ns / 1e6 AS low_ms, m.high_ns / 1e6 AS high_ms, m.min_ns / 1e6 AS min_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(m.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(m.metrics) LIMIT 1) AS metric_name, m.metrics,
       m.launches_per_sample, nullif(m.sm_clock_mhz, 0) AS sm_clock_mhz, m.throttled_samples,
       nullif(m.temperature_c, 0) AS temperature_c, nullif(m.power_w, 0) AS power_w, m.includes_launch_latency
FROM measurements AS m
JOIN trials AS t ON t.id = m.trial;
