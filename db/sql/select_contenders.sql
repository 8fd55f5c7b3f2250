-- Along the index trials_fastest, from the fastest on.
SELECT id FROM trials WHERE contest = ? AND status = 'ok' AND superseded = 0 AND median_ns <= ? ORDER BY median_ns LIMIT ?
