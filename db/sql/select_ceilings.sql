-- A WHERE clause and an ORDER BY follow.
SELECT device, kind, type, value, unit, trial, measured_at FROM ceilings
