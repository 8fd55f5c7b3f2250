-- The newest counts: a better kernel, driver or cooler may have come since.
INSERT INTO ceilings (device, kind, type, value, unit, trial, measured_at)
VALUES (?, ?, ?, ?, ?, (SELECT id FROM trials WHERE id = ?), ?)
ON CONFLICT (device, kind, type) DO UPDATE SET (value, unit, measured_at, trial) = (
  excluded.value, excluded.unit, excluded.measured_at, excluded.trial)
WHERE (excluded.measured_at, excluded.value, excluded.unit, coalesce(excluded.trial, x''))
      >= (ceilings.measured_at, ceilings.value, ceilings.unit, coalesce(ceilings.trial, x''))
