INSERT INTO measurements (
  id, trial, measured_at, status, samples, launches_per_sample, median_ns, low_ns, high_ns, min_ns, sm_clock_mhz,
  throttled_samples, temperature_c, power_w, includes_launch_latency, run)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))
ON CONFLICT (id) DO NOTHING
