-- What a final that begins now considers. Of each run and kernel the numbers of its results that may win, without those
-- between them that may not: should these come back, nobody has considered them.
SELECT run, kernel, min(sequence) AS first, max(sequence) AS last
FROM (SELECT coalesce(t.run, x'') AS run, k.name AS kernel, t.sequence, t.superseded,
             sum(t.superseded) OVER (PARTITION BY t.run, k.name ORDER BY t.sequence) AS island
      FROM trials AS t
      JOIN kernels AS k ON k.id = t.kernel
      WHERE t.tuning_case = ?1 AND t.status = 'ok')
WHERE superseded = 0
GROUP BY run, kernel, island
UNION
-- The finals that count: a contestant may have shed its number since, measured again.
SELECT coalesce(f.run, x''), k.name, f.sequence, f.sequence
FROM finals AS f
JOIN trials AS t ON t.id = f.chosen
JOIN kernels AS k ON k.id = t.kernel
WHERE f.tuning_case = ?1 AND t.competes = 1
ORDER BY 1, 2, 3
