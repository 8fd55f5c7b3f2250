-- Of kernels without a source in kernel_sources: that of the trial measured last (a bare column beside max() comes from
-- that row; sources of equal age are told apart by their digests, so that the answer is one).
SELECT k.family, k.name, y.source, max(y.latest || hex(y.source))
FROM tallies AS y
JOIN kernels AS k ON k.id = y.kernel
WHERE y.trials > 0 AND y.source <> x''
  AND NOT EXISTS (SELECT 1 FROM kernel_sources AS s WHERE s.family = k.family AND s.kernel = k.name)
GROUP BY k.family, k.name
