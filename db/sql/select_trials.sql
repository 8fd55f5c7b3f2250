-- One row a trial with everything that belongs to it, in the order row_reader.cpp reads; a WHERE clause follows.
SELECT {leading}t.id, k.name, f.json, k.parameters, p.family, p.sizes, p.type, p.row_padding,
       c.device, c.driver, c.toolkit, c.type, c.l2, c.method, c.inputs,
       t.role, t.is_default, t.idea, t.macros, t.definition, t.binary, t.probe,
       t.grid_x, t.grid_y, t.grid_z, t.block_x, t.block_y, t.block_z, t.dynamic_shared_bytes,
       {resources},
       t.limited_by, t.blocks_per_sm, t.warps_per_sm, t.occupancy,
       coalesce(l.compile_ms, 0), coalesce(l.log, ''),
       t.status, t.detail, t.device_lost, coalesce(t.driver_blocks_per_sm, -1),
       t.verified, t.error_ratio, t.error_ulp_scale, t.wrong_elements, coalesce(t.first_wrong, -1), t.wrong_buffer, t.rule,
       t.metrics, coalesce(t.operations, 0), coalesce(t.bytes, 0), t.gpu, t.measured_at, t.run, t.sequence,
       {measurement}
FROM {from}
JOIN contests AS n ON n.id = t.contest
JOIN classes AS c ON c.id = n.class
JOIN problems AS p ON p.id = n.problem
JOIN kernels AS k ON k.id = t.kernel
JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binaries AS l ON l.id = t.binary
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry
LEFT JOIN measurements AS m ON m.id = t.measurement
