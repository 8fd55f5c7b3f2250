INSERT INTO finals (id, contest, chosen, rounds, throttled_rounds, measured_at, run)
VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))
ON CONFLICT (id) DO NOTHING
