-- One row a trial with everything that belongs to it, in the order row_reader.cpp reads; a WHERE clause follows.
SELECT t.id, k.name, f.json, k.parameters, p.family, p.sizes, p.type, p.row_padding,
       c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       t.is_default, t.source, t.binary, t.grid_x, t.grid_y, t.grid_z, t.block_x, t.block_y, t.block_z, t.dynamic_shared_bytes,
       b.entry, b.symbol, b.registers, b.spill_store_bytes, b.spill_load_bytes, b.stack_bytes, b.static_shared_bytes,
       b.constant_bytes, b.max_threads_per_block,
       t.limited_by, t.blocks_per_sm, t.warps_per_sm, t.occupancy,
       coalesce(l.compile_ms, 0), coalesce(l.log, ''),
       t.status, t.detail, t.device_lost, coalesce(t.driver_blocks_per_sm, -1),
       t.verified, t.error_ratio, t.error_ulp_scale, t.wrong_elements, coalesce(t.first_wrong, -1), t.wrong_buffer,
       t.metrics, coalesce(t.operations, 0), coalesce(t.bytes, 0), t.measured_at, t.run,
       m.median_ns, m.low_ns, m.high_ns, m.min_ns, m.launches_per_sample, m.sm_clock_mhz,
       m.throttled_samples, m.temperature_c, m.power_w, m.includes_launch_latency, m.samples
FROM trials AS t
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS l ON l.id = t.binary
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry
LEFT JOIN measurements AS m ON m.id = t.measurement
