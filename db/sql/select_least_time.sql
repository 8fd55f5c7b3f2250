-- The least median that a trial ever had, in a race or a final, if its time is to be trusted today.
SELECT min(m.median_ns)
FROM trials AS t
JOIN measurements AS m ON m.trial = t.id AND m.status = 'ok'
WHERE t.id = ? AND t.status = 'ok'
