-- Of kernels that no sweep here has declared: the definition of the trial measured last (bare columns beside max() come
-- from that row; definitions of equal age are told apart by their digests, so that the answer is one).
SELECT k.family, k.name, t.definition, t.role, max(t.measured_at || hex(t.definition))
FROM kernels AS k
JOIN trials AS t ON t.kernel = k.id
WHERE t.definition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM kernel_specs AS s WHERE s.family = k.family AND s.kernel = k.name AND s.declared = 1)
GROUP BY k.family, k.name
