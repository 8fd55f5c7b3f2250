-- Which configuration to use is decided here: `tuner best`, reports, `tuner compare` and the view `best` read it.
--
-- A final counts while what it chose may compete. One that another has seen the outcome of says no more than that one.
CREATE VIEW last_final AS
SELECT f.id, f.tuning_case, f.chosen, f.run, f.sequence
FROM finals AS f
JOIN trials AS c ON c.id = f.chosen
JOIN kernels AS k ON k.id = c.kernel
WHERE c.competes = 1
  AND NOT EXISTS (SELECT 1 FROM finals AS g
                  JOIN trials AS d ON d.id = g.chosen
                  JOIN final_coverage AS v ON v.final = g.id
                  WHERE g.tuning_case = f.tuning_case AND g.id <> f.id AND d.competes = 1
                    AND v.run = coalesce(f.run, x'') AND v.kernel = k.name AND f.sequence BETWEEN v.first AND v.last);

-- Trials that may compete and that none of these finals has considered as they are now.
CREATE VIEW unconsidered AS
SELECT w.id, w.tuning_case, w.median_ns, k.name AS kernel
FROM trials AS w
JOIN kernels AS k ON k.id = w.kernel
WHERE w.competes = 1
  AND NOT EXISTS (SELECT 1 FROM last_final AS f
                  JOIN final_coverage AS v ON v.final = f.id
                  WHERE f.tuning_case = w.tuning_case
                    AND v.run = coalesce(w.run, x'') AND v.kernel = k.name AND w.sequence BETWEEN v.first AND v.last);

-- Whom each of these finals names of each kernel: the one chosen, or else the kernel's first.
CREATE VIEW finalist AS
SELECT l.tuning_case, k.name AS kernel, l.id AS final, e.trial, t.median_ns, t.low_ns
FROM last_final AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN kernels AS k ON k.id = t.kernel
WHERE t.competes = 1
  AND NOT EXISTS (SELECT 1 FROM final_entries AS b
                  JOIN trials AS u ON u.id = b.trial
                  JOIN kernels AS h ON h.id = u.kernel
                  WHERE b.final = l.id AND u.competes = 1 AND h.name = k.name
                    AND (b.trial <> l.chosen, b.place) < (e.trial <> l.chosen, e.place));

-- The best of a part may have been dropped for a rival outside of it, and the rival that a trial was dropped for may be
-- out of the race. Then the dropped one is the best that is known.
--
-- Of each case (kernel: NULL) and of each kernel in it: the finalist, unless a trial that no final has considered is
-- clearly faster, which then is named until it has been raced against the others; where there is no finalist, the
-- fastest. A dropped trial takes its place where it is faster than all times that those who compete ever had: its
-- status tells, and its time is approximate. `final`: by which the trial was found. `finalist`: whom the last final
-- would name. (Two arms, since SQLite looks up a case inside a join, but not inside a union.)
CREATE VIEW winner AS
SELECT tuning_case, NULL AS kernel, iif(coalesce(dropped, newcomer) IS NULL, final, NULL) AS final,
       coalesce(dropped, newcomer, finalist) AS trial, finalist
FROM (SELECT tuning_case, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.tuning_case = o.tuning_case
                AND w.median_ns < coalesce((SELECT low_ns FROM trials WHERE id = o.finalist), 9e999)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer,
             (SELECT d.id FROM trials AS d INDEXED BY trials_of_case
              WHERE d.status <> '' AND d.tuning_case = o.tuning_case AND d.superseded = 0 AND d.status = 'dropped'
                AND d.median_ns < coalesce((SELECT w.median_ns FROM trials AS w
                                            WHERE w.tuning_case = o.tuning_case AND w.competes = 1
                                            ORDER BY w.median_ns LIMIT 1), 9e999)
                AND NOT EXISTS (SELECT 1 FROM trials AS w
                                JOIN measurements AS s ON s.trial = w.id AND s.status = 'ok'
                                WHERE w.tuning_case = o.tuning_case AND w.competes = 1 AND s.median_ns <= d.median_ns)
              ORDER BY d.median_ns, d.id LIMIT 1) AS dropped
      FROM (SELECT n.id AS tuning_case,
                   (SELECT l.id FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.tuning_case = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS final,
                   (SELECT l.chosen FROM last_final AS l JOIN trials AS t ON t.id = l.chosen WHERE l.tuning_case = n.id
                    ORDER BY t.median_ns, t.id, l.id LIMIT 1) AS finalist
            FROM cases AS n) AS o)
WHERE coalesce(dropped, newcomer, finalist) IS NOT NULL
UNION ALL
SELECT tuning_case, kernel, iif(coalesce(dropped, newcomer) IS NULL, final, NULL),
       coalesce(dropped, newcomer, finalist,
                (SELECT w.id FROM trials AS w JOIN kernels AS k ON k.id = w.kernel
                 WHERE w.tuning_case = found.tuning_case AND w.competes = 1 AND k.name = found.kernel
                 ORDER BY w.median_ns, w.id LIMIT 1)),
       finalist
FROM (SELECT tuning_case, kernel, final, finalist,
             (SELECT w.id FROM unconsidered AS w
              WHERE w.tuning_case = o.tuning_case AND w.kernel = o.kernel
                AND w.median_ns < (SELECT low_ns FROM trials WHERE id = o.finalist)
              ORDER BY w.median_ns, w.id LIMIT 1) AS newcomer,
             (SELECT d.id FROM trials AS d INDEXED BY trials_of_case
              JOIN kernels AS k ON k.id = d.kernel
              WHERE d.status <> '' AND d.tuning_case = o.tuning_case AND d.superseded = 0 AND d.status = 'dropped'
                AND k.name = o.kernel
                AND d.median_ns < coalesce((SELECT w.median_ns FROM trials AS w JOIN kernels AS h ON h.id = w.kernel
                                            WHERE w.tuning_case = o.tuning_case AND w.competes = 1 AND h.name = o.kernel
                                            ORDER BY w.median_ns LIMIT 1), 9e999)
                AND NOT EXISTS (SELECT 1 FROM trials AS w
                                JOIN kernels AS h ON h.id = w.kernel
                                JOIN measurements AS s ON s.trial = w.id AND s.status = 'ok'
                                WHERE w.tuning_case = o.tuning_case AND w.competes = 1 AND h.name = o.kernel
                                  AND s.median_ns <= d.median_ns)
              ORDER BY d.median_ns, d.id LIMIT 1) AS dropped
      FROM (SELECT y.tuning_case, k.name AS kernel,
                   (SELECT b.final FROM finalist AS b WHERE b.tuning_case = y.tuning_case AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS final,
                   (SELECT b.trial FROM finalist AS b WHERE b.tuning_case = y.tuning_case AND b.kernel = k.name
                    ORDER BY b.median_ns, b.trial, b.final LIMIT 1) AS finalist
            FROM tallies AS y
            JOIN kernels AS k ON k.id = y.kernel
            WHERE y.status IN ('ok', 'dropped') AND y.superseded = 0 AND y.role <> 'baseline' AND y.trials > 0
            GROUP BY y.tuning_case, k.name) AS o) AS found;

-- Those that no other took the place of. Several, where databases were apart.
CREATE VIEW latest_declaration AS
SELECT d.* FROM declarations AS d
WHERE NOT EXISTS (SELECT 1 FROM declaration_succession AS s
                  WHERE s.family = d.family AND s.kernel = d.kernel AND s.older = d.id);

-- Of these the one that a sweep here made, else the one with the longest history, else by content. No clock decides.
CREATE VIEW declaration_in_force AS
SELECT d.* FROM latest_declaration AS d
WHERE d.id = (SELECT c.id FROM latest_declaration AS c WHERE c.family = d.family AND c.kernel = d.kernel
              ORDER BY c.own DESC, c.generation DESC, c.id DESC LIMIT 1);

-- How a trial stands by the spec in force. Of one that this spec has not looked at its definition decides. Where another
-- spec measured it, the definition alone does not say that this one has it: it does not compete where a sweep here
-- declared the spec in force, and else where no spec of a latest declaration describes it.
CREATE VIEW standing AS
SELECT k.family, k.name AS kernel, t.id AS trial,
       coalesce((SELECT NOT j.describes FROM judgements AS j WHERE j.trial = t.id AND j.spec = s.spec),
                s.definition <> t.definition
                OR (s.spec IS NOT NULL AND EXISTS (SELECT 1 FROM judgements AS j WHERE j.trial = t.id)
                    AND NOT EXISTS (SELECT 1 FROM judgements AS j
                                    JOIN latest_declaration AS d ON d.spec = j.spec
                                    WHERE j.trial = t.id AND j.describes = 1 AND d.family = k.family AND d.kernel = k.name
                                      AND NOT EXISTS (SELECT 1 FROM latest_declaration AS o
                                                      WHERE o.family = k.family AND o.kernel = k.name AND o.own = 1))),
                0) AS superseded,
       (SELECT j.spec FROM judgements AS j WHERE j.trial = t.id AND j.spec = s.spec) AS judged_by
FROM kernel_specs AS s
JOIN kernels AS k ON k.family = s.family AND k.name = s.kernel
JOIN trials AS t ON t.kernel = k.id;

-- For people. `volume` is the product of the sizes, a number to sort by. `id` is as the tables have it. (Of SQLite's JSON
-- functions json_each alone may stand in a schema that is not trusted, before 3.41.)
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

-- Times in milliseconds; `id` is what `tuner show` takes. `metric`: the first of the spec's metrics, NULL where that is no
-- finite number. `ratio`: its time by that of the one to use in its case, as `winner` says.
CREATE VIEW trial AS
SELECT lower(hex(t.id)) AS id, p.family, k.name AS kernel, t.role, p.size, p.volume, p.sizes, p.type, p.row_padding,
       f.json AS configuration, t.status,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       t.median_ns / (SELECT o.median_ns FROM winner AS w JOIN trials AS o ON o.id = w.trial
                      WHERE w.tuning_case = t.tuning_case AND w.kernel IS NULL) AS ratio,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       t.energy_mean_j AS energy_j, t.energy_low_j, t.energy_high_j, b.registers, b.spill_store_bytes + b.spill_load_bytes AS spill_bytes,
       b.static_shared_bytes + t.dynamic_shared_bytes AS shared_bytes, t.occupancy_fraction AS occupancy, t.occupancy_limited_by AS limited_by,
       t.grid_x || 'x' || t.grid_y || 'x' || t.grid_z AS grid,
       t.block_x || 'x' || t.block_y || 'x' || t.block_z AS block, y.compile_ms,
       t.is_default, t.superseded, t.competes, t.verification_checked AS verified,
       t.verification_rule AS rule, t.verification_error_ratio AS error_ratio, t.detail,
       nullif(lower(hex(t.output_bits_inputs) || hex(t.output_bits_outputs)), '') AS output_bits,
       c.device, c.driver, c.toolkit, c.l2, coalesce(c.execution, 'graph') AS execution, c.clock_mhz, c.method, c.inputs, lower(hex(t.tuning_case)) AS tuning_case, t.origin, t.measured_at,
       lower(hex(t.run)) AS run
FROM trials AS t
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS y ON y.id = t.binary
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry;

-- The one to use at each size, environment by environment. `remeasured`: a final found it; `tied`: how many others that
-- final could not tell from the fastest; `approximate`: it was dropped early, so its time is approximate.
CREATE VIEW best AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, k.name AS kernel, f.json AS configuration,
       t.median_ns / 1e6 AS median_ms, t.low_ns / 1e6 AS low_ms, t.high_ns / 1e6 AS high_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(t.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(t.metrics) LIMIT 1) AS metric_name, t.metrics,
       t.verification_checked AS verified, t.status = 'dropped' AS approximate, a.final IS NOT NULL AS remeasured,
       (SELECT sum(e.tied) - 1 FROM final_entries AS e WHERE e.final = a.final) AS tied,
       c.device, c.driver, c.toolkit, c.l2, coalesce(c.execution, 'graph') AS execution, c.method, c.inputs, lower(hex(t.tuning_case)) AS tuning_case, t.origin, t.measured_at,
       lower(hex(t.id)) AS id
FROM winner AS a
JOIN trials AS t ON t.id = a.trial
JOIN cases AS n ON n.id = a.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE a.kernel IS NULL;

-- Every final whose choice still counts, with its finalists, fastest first. `ratio`: a finalist's time by that of the
-- fastest.
CREATE VIEW final AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding, l.measured_at, l.rounds, l.throttled_rounds, e.place,
       k.name AS kernel, t.role, f.json AS configuration, e.ratio, e.ratio_low, e.ratio_high, e.tied,
       e.trial = l.chosen AS chosen, c.device, c.driver, c.toolkit, c.l2, coalesce(c.execution, 'graph') AS execution, c.method, c.inputs,
       lower(hex(l.tuning_case)) AS tuning_case, lower(hex(e.trial)) AS id, lower(hex(l.run)) AS run
FROM finals AS l
JOIN final_entries AS e ON e.final = l.id
JOIN trials AS t ON t.id = e.trial
JOIN cases AS n ON n.id = l.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
WHERE (SELECT competes FROM trials WHERE id = l.chosen) = 1;

-- What went wrong and why; the compiler's log where there is one.
CREATE VIEW failure AS
SELECT lower(hex(t.id)) AS id, t.status, p.family, k.name AS kernel, p.size, p.volume, p.sizes, p.type, p.row_padding,
       f.json AS configuration, t.detail, b.log, c.device, c.driver, c.toolkit, lower(hex(t.tuning_case)) AS tuning_case,
       t.measured_at, lower(hex(t.run)) AS run
FROM trials AS t
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS b ON b.id = t.binary
WHERE t.status NOT IN ('ok', 'dropped', 'skipped');

-- Every measurement of every trial; the current one, which `trial` shows, among them.
CREATE VIEW measurement AS
SELECT lower(hex(m.trial)) AS trial, lower(hex(m.run)) AS run, m.measured_at, t.measurement IS m.id AS current, m.status,
       m.median_ns / 1e6 AS median_ms, m.low_ns / 1e6 AS low_ms, m.high_ns / 1e6 AS high_ms, m.min_ns / 1e6 AS min_ms,
       (SELECT iif(type IN ('integer', 'real'), value, NULL) FROM json_each(m.metrics) LIMIT 1) AS metric,
       (SELECT key FROM json_each(m.metrics) LIMIT 1) AS metric_name, m.metrics,
       m.launches_per_sample, m.sm_clock_mhz, m.throttled_samples,
       m.temperature_c, m.power_w, m.includes_launch_latency
FROM measurements AS m
JOIN trials AS t ON t.id = m.trial;

-- Every invocation that measured something; `device` is the first it used.
CREATE VIEW run AS
SELECT lower(hex(r.id)) AS id, r.started_at, r.ended_at, r.state, r.measured, r.command_line, r.strategy, r.seed,
       d.name AS device, r.device_address, r.toolkit, r.host, r.version
FROM runs AS r
JOIN devices AS d ON d.id = r.device;

-- Every search, with the space as it was then.
CREATE VIEW search AS
SELECT p.family, p.size, p.volume, p.sizes, p.type, p.row_padding,
       (SELECT sum(candidates) FROM search_kernels WHERE search = s.id) AS candidates, s.tried, s.failed, s.strategy,
       s.ending, s.gain, s.low, s.high, s.estimate, s.stretch, s.behind, s.behind_at_worst, s.faster,
       c.device, c.driver, c.toolkit, c.l2, coalesce(c.execution, 'graph') AS execution, c.method, c.inputs,
       lower(hex(s.tuning_case)) AS tuning_case, s.ended_at, lower(hex(s.run)) AS run
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problem AS p ON p.id = n.problem;

-- Launches whose end was not seen.
CREATE VIEW open_attempt AS
SELECT lower(hex(a.trial)) AS trial, p.family, k.name AS kernel, p.size, p.volume, p.sizes, f.json AS configuration,
       c.device, a.pid, a.boot, a.opened_at
FROM attempts AS a
JOIN cases AS n ON n.id = a.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problem AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = a.kernel
JOIN configurations AS f ON f.id = a.configuration
WHERE a.closed_at IS NULL;
