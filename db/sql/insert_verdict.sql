-- What stands of the runs of a binary's probes. One that was wrong once is wrong, whichever word comes first, unless it was
-- probed again since and that failure cleared.
INSERT OR REPLACE INTO verdicts (id, status, detail, deaths, trial, measured_at, run)
SELECT probe, status, detail, (SELECT max(deaths) FROM probings WHERE probe = ?1), trial, measured_at,
       (SELECT id FROM runs WHERE id = probings.run)
FROM probings
WHERE probe = ?1 AND cleared = 0
ORDER BY status <> 'ok' DESC, status DESC, detail DESC, trial DESC, measured_at DESC, run DESC LIMIT 1
