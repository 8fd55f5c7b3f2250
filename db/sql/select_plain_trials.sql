-- Every trial of another database as `insert_trial` takes it, what belongs to it and lies elsewhere aside. First, as far
-- as this row says, whether it is what RowWriter would write: what is unknown is NULL, and there is no measurement but the
-- current one. (Looked up only where some trial has several, which is the parameter.) In the order of the table, which is
-- how it was written.
SELECT (t.measurement IS NOT NULL OR (t.median_ns IS NULL AND t.low_ns IS NULL AND t.high_ns IS NULL))
   AND (t.entry IS NULL) = (b.entry IS NULL)
   AND (t.limited_by IS NULL) = (t.occupancy IS NULL) AND (t.limited_by IS NULL) = (t.blocks_per_sm IS NULL)
   AND (t.limited_by IS NULL) = (t.warps_per_sm IS NULL)
   AND coalesce(t.driver_blocks_per_sm, 0) >= 0 AND coalesce(t.first_wrong, 0) >= 0
   AND coalesce(t.operations, 1) > 0 AND coalesce(t.bytes, 1) > 0
   AND iif(?1 OR t.measurement IS NULL,
           NOT EXISTS (SELECT 1 FROM measurements AS o WHERE o.trial = t.id AND o.id IS NOT t.measurement), 1),
       t.id, t.contest, t.kernel, t.configuration, t.role, t.is_default, t.definition, t.superseded,
       t.judged_by, t.binary, t.probe, t.entry,
       t.grid_x, t.grid_y, t.grid_z, t.block_x, t.block_y, t.block_z, t.dynamic_shared_bytes,
       t.occupancy, t.blocks_per_sm, t.warps_per_sm, t.limited_by, t.driver_blocks_per_sm,
       t.status, t.detail, t.device_lost, t.verified, t.error_ratio, t.error_ulp_scale, t.wrong_elements, t.first_wrong,
       t.wrong_buffer, t.rule, t.median_ns, t.low_ns, t.high_ns, t.metrics, t.operations, t.bytes, t.idea, t.macros,
       t.gpu, t.measured_at, t.sequence, t.measurement, t.run,
       f.json, {resources}
FROM trials AS t NOT INDEXED
CROSS JOIN configurations AS f ON f.id = t.configuration
LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry
ORDER BY t.rowid
