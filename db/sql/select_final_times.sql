-- Every measurement of a final's contestants, with its place and ratio, in the order taken: whether it is of the final's
-- run, and the GPU of its own run.
SELECT e.place, e.ratio, m.median_ns, m.sm_clock_mhz, m.run IS f.run, coalesce(d.uuid, '')
FROM finals AS f
JOIN final_entries AS e ON e.final = f.id
JOIN measurements AS m ON m.trial = e.trial AND m.status = 'ok'
LEFT JOIN runs AS r ON r.id = m.run
LEFT JOIN devices AS d ON d.id = r.device
WHERE f.id = ?
ORDER BY e.place, m.sequence
