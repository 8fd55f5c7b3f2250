-- Along the index trials_tied; the reader stops early.
SELECT id, median_ns, low_ns FROM trials WHERE contest = ? AND kernel = ? AND status = 'ok' AND superseded = 0 ORDER BY low_ns
