-- What an answer needs, and what lists rows for people and exports. Each statement begins with its name, as db::sql() takes it.

-- # select_ended
-- How the trials of a case ended that could win it, the most frequent first; of one kernel where it is named.
SELECT y.status, sum(y.trials) AS trials
FROM tallies AS y
JOIN kernels AS k ON k.id = y.kernel
WHERE y.tuning_case = ?1 AND y.superseded = 0 AND y.role <> 'baseline' AND y.trials > 0 AND (?2 = '' OR k.name = ?2)
GROUP BY y.status
ORDER BY 2 DESC, 1

-- # select_final_times
-- Every measurement of a final's finalists in the order taken: whether it is of the final's run, and the GPU of its own
-- run.
SELECT e.trial, m.median_ns, m.sm_clock_mhz, m.run IS f.run, coalesce(d.uuid, '')
FROM finals AS f
JOIN final_entries AS e ON e.final = f.id
JOIN measurements AS m ON m.trial = e.trial AND m.status = 'ok'
LEFT JOIN runs AS r ON r.id = m.run
LEFT JOIN devices AS d ON d.id = r.device
WHERE f.id = ?
ORDER BY e.place, m.sequence

-- # count_dropped
-- Trials of a case (?2: of this kernel; '': of any) that were dropped early, up to a time.
SELECT count(*)
FROM trials AS t INDEXED BY trials_of_case
JOIN kernels AS k ON k.id = t.kernel
WHERE t.status <> '' AND t.tuning_case = ?1 AND t.superseded = 0 AND t.status = 'dropped' AND (?2 = '' OR k.name = ?2)
  AND t.median_ns <= ?3

-- # select_to_rank
-- What places the trials of a case among each other (?2: of this kernel; '': of any): those that may win, and ?3.
SELECT t.id, t.median_ns, coalesce(t.gpu, '')
FROM trials AS t INDEXED BY trials_of_case
JOIN kernels AS k ON k.id = t.kernel
WHERE t.status <> '' AND t.tuning_case = ?1 AND t.superseded = 0 AND t.status IN ('ok', 'dropped')
  AND (?2 = '' OR k.name = ?2) AND (t.role <> 'baseline' OR t.id = ?3)

-- # select_reopened
-- Trials that were dropped early (?3: of this kernel; '': of any) and that are within ?2 times the least time that any
-- who competes beside them ever had (?4: those of this kernel; '': all): what they were dropped for is that fast no
-- more, so that their speed is unknown. Fastest first. The first bound is the cheap one and nearly always enough.
SELECT d.id, k.name
FROM trials AS d INDEXED BY trials_of_case
JOIN kernels AS k ON k.id = d.kernel
WHERE d.status <> '' AND d.tuning_case = ?1 AND d.superseded = 0 AND d.status = 'dropped' AND (?3 = '' OR k.name = ?3)
  AND d.median_ns <= ?2 * coalesce((SELECT w.median_ns FROM trials AS w JOIN kernels AS h ON h.id = w.kernel
                                    WHERE w.tuning_case = ?1 AND w.competes = 1 AND (?4 = '' OR h.name = ?4)
                                    ORDER BY w.median_ns LIMIT 1), 9e999)
  AND +d.median_ns <= ?2 * coalesce((SELECT min(s.median_ns) FROM trials AS w
                                     JOIN kernels AS h ON h.id = w.kernel
                                     JOIN measurements AS s ON s.trial = w.id AND s.status = 'ok'
                                     WHERE w.tuning_case = ?1 AND w.competes = 1 AND (?4 = '' OR h.name = ?4)), 9e999)
ORDER BY d.median_ns, d.id

-- # select_search_parts
-- The kernels that searches of a case covered, with the size of their spaces, as far as their specs are still what
-- they were. A kernel that no sweep here was of has no spec here: then the search knows best.
SELECT r.kernel, max(r.candidates)
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN problems AS p ON p.id = n.problem
JOIN search_kernels AS r ON r.search = s.id
LEFT JOIN kernel_specs AS e ON e.family = p.family AND e.kernel = r.kernel
WHERE s.tuning_case = ?1 AND (?2 = '' OR r.kernel = ?2) AND r.spec = coalesce(e.spec, r.spec)
GROUP BY r.kernel

-- # select_outlooks
-- What searches of a case expected of the rest, the one that knew most first; each with how many kernels it was of,
-- and of how many of these the spec is still what it was.
SELECT s.tried, count(*), total(r.spec = coalesce(e.spec, r.spec)), {outlook}
FROM searches AS s
JOIN cases AS n ON n.id = s.tuning_case
JOIN problems AS p ON p.id = n.problem
JOIN search_kernels AS r ON r.search = s.id
LEFT JOIN kernel_specs AS e ON e.family = p.family AND e.kernel = r.kernel
WHERE s.tuning_case = ? AND s.gain IS NOT NULL
GROUP BY s.id
ORDER BY s.tried DESC, s.id

-- # select_settled
-- Of each kernel (?2; '': of all) what was tried, or the whole space where a search of it ended by itself and its spec is
-- still what it was then.
SELECT total(max(y.tried, coalesce((
         SELECT max(r.candidates)
         FROM searches AS s
         JOIN search_kernels AS r ON r.search = s.id
         LEFT JOIN kernel_specs AS e ON e.family = y.family AND e.kernel = r.kernel
         WHERE s.tuning_case = ?1 AND s.ending IN ('exhausted', 'until') AND r.kernel = y.name
           AND r.spec = coalesce(e.spec, r.spec)), 0)))
FROM (SELECT k.family, k.name, total(t.trials) AS tried
      FROM tallies AS t
      JOIN kernels AS k ON k.id = t.kernel
      WHERE t.tuning_case = ?1 AND t.trials > 0 AND t.superseded = 0 AND t.role <> 'baseline' AND (?2 = '' OR k.name = ?2)
      GROUP BY k.family, k.name) AS y

-- # select_untuned
-- Dropped ones too: that the default is clearly slower is what one wants to know. Of the same kernel as a given trial;
-- where several are known (specs that were not told apart), the one with the largest sequence.
SELECT t.id FROM trials AS t
WHERE t.tuning_case = ? AND t.is_default = 1 AND t.superseded = 0 AND t.status IN ('ok', 'dropped')
  AND t.kernel = (SELECT kernel FROM trials WHERE id = ?)
ORDER BY t.sequence DESC, t.id LIMIT 1

-- # select_trial_keys
-- The identifiers alone, sorted before anything wide is read; a WHERE clause and order_trials follow.
SELECT t.id
FROM trials AS t
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration

-- # order_trials
-- Shorter size texts first: 512 before 1024.
ORDER BY p.family, length(p.size), p.size, p.sizes, p.type, p.row_padding, c.device, c.driver, c.toolkit, c.l2,
         c.method, c.inputs, c.execution, c.clock_mhz, k.name, t.median_ns IS NULL, t.median_ns, f.json, t.id

-- # select_cases
-- From the tallies alone, of what today's specs describe; a WHERE clause and GROUP BY follow.
SELECT n.id, {case},
       total(y.trials) FILTER (WHERE y.status = 'ok' AND y.role <> 'baseline'),
       total(y.trials) FILTER (WHERE y.status = 'dropped' AND y.role <> 'baseline'),
       total(y.trials) FILTER (WHERE y.status = 'skipped' AND y.role <> 'baseline'),
       total(y.trials) FILTER (WHERE y.status NOT IN ('ok', 'dropped', 'skipped') AND y.role <> 'baseline'),
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
