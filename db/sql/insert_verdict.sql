-- A binary that was wrong once is wrong, whichever word comes first, unless it was probed again (the last parameter).
INSERT INTO verdicts (id, status, detail, deaths, trial, measured_at, run)
VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))
ON CONFLICT (id) DO UPDATE SET (status, detail, deaths, trial, measured_at, run) = (
  excluded.status, excluded.detail, max(excluded.deaths, verdicts.deaths), excluded.trial, excluded.measured_at,
  excluded.run)
WHERE ? OR (excluded.status <> 'ok', excluded.status, excluded.detail, excluded.trial, excluded.measured_at,
            coalesce(excluded.run, x''))
           > (verdicts.status <> 'ok', verdicts.status, verdicts.detail, verdicts.trial, verdicts.measured_at,
              coalesce(verdicts.run, x''))
