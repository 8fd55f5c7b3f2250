-- What trials_tally_insert does for each row, for all that came after the trial with this rowid.
INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest)
SELECT contest, kernel, status, superseded, role, count(*), max(measured_at)
FROM trials NOT INDEXED
WHERE rowid > ?
GROUP BY contest, kernel, status, superseded, role
ON CONFLICT DO UPDATE SET trials = trials + excluded.trials, latest = max(latest, excluded.latest)
