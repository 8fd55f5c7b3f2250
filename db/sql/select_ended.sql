-- How the trials of a contest ended that could win it, the most frequent first; of one kernel where it is named.
SELECT y.status, sum(y.trials) AS trials
FROM tallies AS y
JOIN kernels AS k ON k.id = y.kernel
WHERE y.tuning_case = ?1 AND y.superseded = 0 AND y.role <> 'baseline' AND y.trials > 0 AND (?2 = '' OR k.name = ?2)
GROUP BY y.status
ORDER BY 2 DESC, 1
