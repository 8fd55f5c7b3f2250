-- Whether an ok trial was measured after a moment and is faster than a time: a few entries of trials_fastest at most.
SELECT 1 FROM trials
WHERE contest = ?1 AND status = 'ok' AND superseded = 0 AND median_ns < ?2 AND measured_at > ?3
LIMIT 1
