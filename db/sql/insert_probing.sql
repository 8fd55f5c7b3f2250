-- One run of a binary's probes. The last parameter: it was just now, so that nothing has cleared it.
INSERT INTO probings (probe, run, trial, measured_at, status, detail, deaths, cleared)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  (status, detail) = (
    iif((excluded.status <> 'ok', excluded.status, excluded.detail)
          > (probings.status <> 'ok', probings.status, probings.detail), excluded.status, probings.status),
    iif((excluded.status <> 'ok', excluded.status, excluded.detail)
          > (probings.status <> 'ok', probings.status, probings.detail), excluded.detail, probings.detail)),
  deaths = max(excluded.deaths, probings.deaths),
  cleared = iif(?, 0, max(excluded.cleared, probings.cleared))
