-- A trial with its current result. One that is known is brought up to date where the last parameter says so
-- (a fresh measurement) or where the new figures are not older (import). What is known of its source stays known.
INSERT INTO trials (
  id, contest, kernel, configuration, is_default, source, superseded, binary, entry,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes, occupancy, blocks_per_sm, warps_per_sm, limited_by, driver_blocks_per_sm, status, detail,
  device_lost, verified, error_ratio, error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, median_ns, low_ns,
  high_ns, metrics, operations, bytes, measured_at, measurement, run)
VALUES (
  ?, ?, ?, ?, ?, ?6,
  coalesce((SELECT s.source <> ?6
            FROM kernels AS k JOIN kernel_sources AS s ON s.family = k.family AND s.kernel = k.name
            WHERE k.id = ?3), 0),
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
  (SELECT id FROM runs WHERE id = ?))
ON CONFLICT (id) DO UPDATE SET (
  contest, kernel, configuration, is_default, source, superseded, binary, entry,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes, occupancy, blocks_per_sm, warps_per_sm, limited_by, driver_blocks_per_sm, status, detail,
  device_lost, verified, error_ratio, error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, median_ns, low_ns,
  high_ns, metrics, operations, bytes, measured_at, measurement, run) = (
  excluded.contest, excluded.kernel, excluded.configuration, excluded.is_default,
  coalesce(excluded.source, trials.source), iif(excluded.source IS NULL, trials.superseded, excluded.superseded),
  excluded.binary, excluded.entry, excluded.grid_x, excluded.grid_y, excluded.grid_z,
  excluded.block_x, excluded.block_y, excluded.block_z,
  excluded.dynamic_shared_bytes, excluded.occupancy, excluded.blocks_per_sm, excluded.warps_per_sm,
  excluded.limited_by, excluded.driver_blocks_per_sm, excluded.status, excluded.detail, excluded.device_lost,
  excluded.verified, excluded.error_ratio, excluded.error_ulp_scale, excluded.wrong_elements, excluded.first_wrong,
  excluded.wrong_buffer, excluded.median_ns, excluded.low_ns, excluded.high_ns, excluded.metrics,
  excluded.operations, excluded.bytes, excluded.measured_at, excluded.measurement, excluded.run)
WHERE ? OR excluded.measured_at >= trials.measured_at
