-- Trials of a contest (?2: of this kernel; '': of any) that were dropped early, up to a time.
SELECT count(*)
FROM trials AS t INDEXED BY trials_of_case
JOIN kernels AS k ON k.id = t.kernel
WHERE t.status <> '' AND t.tuning_case = ?1 AND t.superseded = 0 AND t.status = 'dropped' AND (?2 = '' OR k.name = ?2)
  AND t.median_ns <= ?3
