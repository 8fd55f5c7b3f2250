-- The first entry of the index trials_fastest.
SELECT id, median_ns FROM trials WHERE contest = ? AND status = 'ok' AND superseded = 0 ORDER BY median_ns LIMIT 1
