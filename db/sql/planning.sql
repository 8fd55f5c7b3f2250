-- What a sweep asks of the past. Each statement begins with its name, as db::sql() takes it.

-- # select_coverage
-- What a final that begins now considers. Of each run and kernel the numbers of its results that may win, without those
-- between them that may not, superseded or failed by their probes: should these come back, they were not considered. No
-- baseline: it is timed beside the others, and has a race to win once its spec makes it a competitor.
SELECT run, kernel, min(sequence) AS first, max(sequence) AS last
FROM (SELECT run, kernel, sequence, is_out, role, sum(is_out) OVER (PARTITION BY run, kernel ORDER BY sequence) AS island
      FROM (SELECT coalesce(t.run, x'') AS run, k.name AS kernel, t.sequence, t.role,
                   t.superseded = 1 OR t.status <> 'ok' AS is_out
            FROM trials AS t INDEXED BY trials_of_case
            JOIN kernels AS k ON k.id = t.kernel
            WHERE t.status <> '' AND t.tuning_case = ?1 AND t.status <> 'dropped' AND t.measurement IS NOT NULL))
WHERE is_out = 0 AND role <> 'baseline'
GROUP BY run, kernel, island
UNION
-- The finals that count: a contestant may have shed its number since, measured again.
SELECT coalesce(f.run, x''), k.name, f.sequence, f.sequence
FROM finals AS f
JOIN trials AS t ON t.id = f.chosen
JOIN kernels AS k ON k.id = t.kernel
WHERE f.tuning_case = ?1 AND t.competes = 1
ORDER BY 1, 2, 3

-- # select_considered
-- Whether a final (?1) has considered the present result of a trial (?2): that of a baseline where the final took it.
SELECT 1
FROM trials AS t
JOIN kernels AS k ON k.id = t.kernel
WHERE t.id = ?2
  AND (EXISTS (SELECT 1 FROM final_coverage AS v
               WHERE v.final = ?1 AND v.run = coalesce(t.run, x'') AND v.kernel = k.name
                 AND t.sequence BETWEEN v.first AND v.last)
       OR (t.role = 'baseline'
           AND EXISTS (SELECT 1 FROM finals AS f JOIN final_entries AS e ON e.final = f.id AND e.trial = t.id
                       WHERE f.id = ?1 AND f.run IS t.run AND t.sequence > f.sequence)))

-- # select_least_time
-- The least median that a trial ever had, in a race or a final, if its time is to be trusted today.
SELECT min(m.median_ns)
FROM trials AS t
JOIN measurements AS m ON m.trial = t.id AND m.status = 'ok'
WHERE t.id = ? AND t.status = 'ok'

-- # select_least_times
-- The least median that any trial of a kernel that competes in a case ever had, with the kernel's name, the least first.
SELECT min(m.median_ns), k.name
FROM trials AS t
JOIN kernels AS k ON k.id = t.kernel
JOIN measurements AS m ON m.trial = t.id AND m.status = 'ok'
WHERE t.tuning_case = ? AND t.competes = 1
GROUP BY k.name
ORDER BY 1

-- # select_elsewhere
-- The cases of a family and an element type that know anything, from the tallies alone: of what today's specs
-- describe, and of what they described before.
SELECT n.id, {case},
       y.superseded, total(y.trials) FILTER (WHERE y.status IN ('ok', 'dropped')) AS timed
FROM problems AS p
JOIN cases AS n ON n.problem = p.id
JOIN environments AS c ON c.id = n.environment
JOIN tallies AS y ON y.tuning_case = n.id AND y.trials > 0 AND y.role <> 'baseline'
WHERE p.family = ? AND p.type = ?
GROUP BY n.id, y.superseded
HAVING timed > 0

-- # select_compile_times
-- What compiling for an architecture took, where it is known; of each binary once.
SELECT f.json, k.parameters, l.compile_ms
FROM kernels AS k
JOIN trials AS t ON t.kernel = k.id
JOIN configurations AS f ON f.id = t.configuration
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN binaries AS l ON l.id = t.binary
WHERE k.family = ? AND k.name = ? AND c.toolkit = ? AND l.compile_ms > 0
  AND ? IN (SELECT architecture FROM devices WHERE name = c.device
            UNION ALL SELECT ?4 WHERE NOT EXISTS (SELECT 1 FROM devices WHERE name = c.device))
GROUP BY l.id
ORDER BY max(c.device = ?) DESC, max(t.rowid) DESC
LIMIT ?

-- # select_newest_definitions
-- Of kernels that were not declared, a definition to go by. Each host has a say: the definition that it measured last, by
-- its own clock. Of these the one with the most trials, then by digest: clocks of two hosts are not compared. (Bare columns
-- beside max() come from that row.)
WITH told AS MATERIALIZED (
  SELECT k.family, k.name AS kernel, t.definition, t.role, coalesce(r.host, '') AS host, t.measured_at
  FROM kernels AS k
  JOIN trials AS t ON t.kernel = k.id
  LEFT JOIN runs AS r ON r.id = t.run
  WHERE t.definition IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM declaration_in_force AS d WHERE d.family = k.family AND d.kernel = k.name)),
said AS (
  SELECT family, kernel, host, definition, max(measured_at || hex(definition)) FROM told GROUP BY family, kernel, host),
measured AS (
  SELECT family, kernel, definition, max(role) AS role, count(*) AS trials FROM told GROUP BY family, kernel, definition)
SELECT m.family, m.kernel, m.definition, m.role, max(printf('%020d', m.trials) || hex(m.definition))
FROM measured AS m
WHERE EXISTS (SELECT 1 FROM said AS s WHERE s.family = m.family AND s.kernel = m.kernel AND s.definition = m.definition)
GROUP BY m.family, m.kernel

-- # select_undecided
-- Trials of a kernel that were not judged by a spec, with what it takes to make their identity again: the device that
-- the run was on, or any of the same name.
SELECT t.id, f.json, k.parameters, {case}, t.definition,
       coalesce(d.architecture, ''), d.limits
FROM kernels AS k
JOIN trials AS t ON t.kernel = k.id
JOIN configurations AS f ON f.id = t.configuration
JOIN cases AS n ON n.id = t.tuning_case
JOIN environments AS c ON c.id = n.environment
JOIN problems AS p ON p.id = n.problem
LEFT JOIN runs AS r ON r.id = t.run
LEFT JOIN devices AS d ON d.id = coalesce(r.device, (SELECT id FROM devices WHERE name = c.device ORDER BY id LIMIT 1))
WHERE k.family = ?1 AND k.name = ?2 AND t.judged_by IS NOT ?3
  AND NOT EXISTS (SELECT 1 FROM judgements AS j WHERE j.trial = t.id AND j.spec = ?3)
