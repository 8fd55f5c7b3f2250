-- Trials that were dropped early (?3: of this kernel; '': of any) and that are within ?2 times the least time that any
-- who competes beside them ever had (?4: those of this kernel; '': all): whoever they were dropped for is that fast no
-- more, so that nobody knows how fast they are. Fastest first. The first bound is the cheap one and nearly always enough.
SELECT d.id
FROM trials AS d INDEXED BY trials_of_case
JOIN kernels AS k ON k.id = d.kernel
WHERE d.status <> '' AND d.tuning_case = ?1 AND d.superseded = 0 AND d.status = 'dropped' AND (?3 = '' OR k.name = ?3)
  AND d.median_ns <= ?2 * coalesce((SELECT w.median_ns FROM trials AS w JOIN kernels AS h ON h.id = w.kernel
                                    WHERE w.tuning_case = ?1 AND w.competes = 1 AND (?4 = '' OR h.name = ?4)
                                    ORDER BY w.median_ns LIMIT 1), 9e999)
  AND NOT EXISTS (SELECT 1 FROM trials AS w
                  JOIN kernels AS h ON h.id = w.kernel
                  JOIN measurements AS s ON s.trial = w.id AND s.status = 'ok'
                  WHERE w.tuning_case = ?1 AND w.competes = 1 AND (?4 = '' OR h.name = ?4)
                    AND s.median_ns * ?2 < d.median_ns)
ORDER BY d.median_ns, d.id
