-- A trial with its current result. One that is known is brought up to date where the last parameter says so (a fresh
-- measurement), or where the new result is the later one; of equally late ones what they say decides, so that rows may
-- come in any order. (Not the status of one that was measured: its verdict may be here or still to come.) What is known
-- of its spec, its probes and where the idea came from stays known. How it stands by the spec in force is said afterwards.
INSERT INTO trials (
  id, contest, kernel, configuration, role, is_default, definition, superseded, judged_by, binary, probe, entry,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
  occupancy, blocks_per_sm, warps_per_sm, limited_by, driver_blocks_per_sm,
  status, detail, device_lost, verified, error_ratio, error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule,
  median_ns, low_ns, high_ns, metrics, operations, bytes, idea, macros, gpu, measured_at, sequence, measurement, run)
VALUES (
  ?, ?, ?, ?, ?, ?, ?7,
  0, NULL,
  ?, ?, ?,
  ?, ?, ?, ?, ?, ?, ?,
  ?, ?, ?, ?, ?,
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
  (SELECT id FROM runs WHERE id = ?))
ON CONFLICT (id) DO UPDATE SET (
  role, is_default, definition, superseded, judged_by, binary, probe, entry,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
  occupancy, blocks_per_sm, warps_per_sm, limited_by, driver_blocks_per_sm,
  status, detail, device_lost, verified, error_ratio, error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule,
  median_ns, low_ns, high_ns, metrics, operations, bytes, idea, macros, gpu, measured_at, sequence, measurement, run) = (
  excluded.role, excluded.is_default, coalesce(excluded.definition, trials.definition),
  trials.superseded, trials.judged_by,
  excluded.binary, coalesce(excluded.probe, trials.probe), excluded.entry,
  excluded.grid_x, excluded.grid_y, excluded.grid_z, excluded.block_x, excluded.block_y, excluded.block_z,
  excluded.dynamic_shared_bytes, excluded.occupancy, excluded.blocks_per_sm, excluded.warps_per_sm,
  excluded.limited_by, excluded.driver_blocks_per_sm, excluded.status, excluded.detail, excluded.device_lost,
  excluded.verified, excluded.error_ratio, excluded.error_ulp_scale, excluded.wrong_elements, excluded.first_wrong,
  excluded.wrong_buffer, excluded.rule, excluded.median_ns, excluded.low_ns, excluded.high_ns, excluded.metrics,
  excluded.operations, excluded.bytes, iif(excluded.idea = '', trials.idea, excluded.idea),
  iif(excluded.macros = '', trials.macros, excluded.macros), excluded.gpu, excluded.measured_at, excluded.sequence, excluded.measurement, excluded.run)
WHERE ? OR (excluded.measured_at, coalesce(excluded.measurement, x''), coalesce(excluded.run, x''), excluded.sequence,
            iif(excluded.measurement IS NULL, excluded.status || excluded.detail, ''), coalesce(excluded.definition, x''))
           >= (trials.measured_at, coalesce(trials.measurement, x''), coalesce(trials.run, x''), trials.sequence,
               iif(trials.measurement IS NULL, trials.status || trials.detail, ''), coalesce(trials.definition, x''))
