INSERT INTO attempts (id, trial, contest, kernel, configuration, machine, boot, pid, opened_at, run)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))
