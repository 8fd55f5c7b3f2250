-- One of a known and an unknown source has two tallies.
SELECT DISTINCT y.kernel FROM tallies AS y JOIN kernels AS k ON k.id = y.kernel
WHERE y.contest = ? AND y.status = 'ok' AND y.superseded = 0 AND y.trials > 0 AND (?2 = '' OR k.name = ?2)
