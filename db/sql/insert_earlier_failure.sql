-- An outcome without a measurement that is not the trial's current one; of several of a run the last. A trial or a run that
-- is not here has none.
INSERT INTO earlier_failures (trial, run, status, detail, measured_at, sequence, verified, error_ratio,
  error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule)
SELECT ?1, ?2, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (SELECT 1 FROM trials WHERE id = ?1) AND EXISTS (SELECT 1 FROM runs WHERE id = ?2)
ON CONFLICT DO UPDATE SET (status, detail, measured_at, sequence, verified, error_ratio, error_ulp_scale,
  wrong_elements, first_wrong, wrong_buffer, rule) = (excluded.status, excluded.detail, excluded.measured_at,
  excluded.sequence, excluded.verified, excluded.error_ratio, excluded.error_ulp_scale, excluded.wrong_elements,
  excluded.first_wrong, excluded.wrong_buffer, excluded.rule)
WHERE (excluded.measured_at, excluded.sequence, excluded.status, excluded.detail)
    > (earlier_failures.measured_at, earlier_failures.sequence, earlier_failures.status, earlier_failures.detail)
