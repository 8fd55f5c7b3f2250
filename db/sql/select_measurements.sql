-- Oldest first; in the order row_reader.cpp reads.
SELECT m.measured_at, m.run, m.status,
       m.median_ns, m.low_ns, m.high_ns, m.min_ns, m.launches_per_sample, m.sm_clock_mhz,
       m.throttled_samples, m.temperature_c, m.power_w, m.includes_launch_latency, m.samples
FROM measurements AS m
WHERE m.trial = ?
ORDER BY m.measured_at, m.id
