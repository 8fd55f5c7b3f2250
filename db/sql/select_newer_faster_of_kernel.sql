-- The same of one kernel: a median below a time has its interval's low end below it too, so trials_tied serves.
SELECT 1 FROM trials
WHERE contest = ?1 AND kernel = ?4 AND status = 'ok' AND superseded = 0 AND low_ns < ?2 AND median_ns < ?2
  AND measured_at > ?3
LIMIT 1
