-- The rows of version 8, whose tables are called v8_… meanwhile, in those of this version. Triggers count the tallies anew.
-- Sequences become negative: those of two runs could not be compared (db/stored_records.hpp, before_version_9).

INSERT INTO devices SELECT * FROM v8_devices;
INSERT INTO environments (id, device, driver, toolkit, type, l2, method, inputs)
SELECT id, device, driver, toolkit, type, l2, method, inputs FROM v8_classes;
INSERT INTO problems (id, family, sizes, type, row_padding, size)
SELECT id, family, sizes, type, row_padding, size FROM v8_problems;
INSERT INTO cases (id, environment, problem) SELECT id, class, problem FROM v8_contests;
INSERT INTO kernels SELECT * FROM v8_kernels;
INSERT INTO configurations SELECT * FROM v8_configurations;
INSERT INTO runs (id, command_line, started_at, ended_at, state, host, version, strategy, seed, device, device_address,
                  toolkit, measured)
SELECT id, command_line, started_at, ended_at, state, host, version, strategy, seed, device, device_address, toolkit,
       measured
FROM v8_runs;
INSERT INTO binaries SELECT * FROM v8_binaries;
INSERT INTO binary_kernels SELECT * FROM v8_binary_kernels;

INSERT INTO trials (
  id, tuning_case, kernel, configuration, role, is_default, origin, macros, definition, binary, probe,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
  occupancy_fraction, occupancy_blocks_per_multiprocessor, occupancy_active_warps_per_multiprocessor,
  occupancy_limited_by, driver_blocks_per_multiprocessor, status, detail, device_lost,
  verification_checked, verification_error_ratio, verification_error_ulp_scale, verification_wrong_elements,
  verification_first_wrong, verification_buffer, verification_rule,
  metrics, workload_operations, workload_bytes, gpu, measured_at, run, sequence,
  entry, median_ns, low_ns, high_ns, measurement, superseded, judged_by)
SELECT
  id, contest, kernel, configuration, role, is_default, nullif(idea, ''), nullif(macros, ''), definition, binary, probe,
  grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
  occupancy, blocks_per_sm, warps_per_sm, limited_by, driver_blocks_per_sm, status, detail, device_lost,
  verified, error_ratio, error_ulp_scale, wrong_elements, first_wrong, wrong_buffer, rule,
  metrics, operations, bytes, nullif(gpu, ''), measured_at, run, sequence - 10000000000000000,
  entry, median_ns, low_ns, high_ns, measurement, superseded, judged_by
FROM v8_trials ORDER BY rowid;

INSERT INTO measurements (
  id, trial, run, measured_at, sequence, status, metrics, median_ns, low_ns, high_ns, min_ns, launches_per_sample,
  sm_clock_mhz, throttled_samples, temperature_c, power_w, includes_launch_latency, samples_ns)
SELECT
  id, trial, run, measured_at, sequence - 10000000000000000, status, metrics, median_ns, low_ns, high_ns, min_ns, launches_per_sample,
  nullif(sm_clock_mhz, 0), throttled_samples, nullif(temperature_c, 0), nullif(power_w, 0), includes_launch_latency,
  samples_ns
FROM v8_measurements ORDER BY rowid;

INSERT INTO earlier_failures (
  run, trial, status, detail, measured_at, sequence, verification_checked, verification_error_ratio,
  verification_error_ulp_scale, verification_wrong_elements, verification_first_wrong, verification_buffer,
  verification_rule)
SELECT run, trial, status, detail, measured_at, sequence - 10000000000000000, verified, error_ratio, error_ulp_scale, wrong_elements,
       first_wrong, wrong_buffer, rule
FROM v8_earlier_failures;

INSERT INTO finals (id, tuning_case, chosen, rounds, throttled_rounds, run, measured_at, sequence)
SELECT id, contest, chosen, rounds, throttled_rounds, run, measured_at, sequence - 10000000000000000 FROM v8_finals;
INSERT INTO final_entries SELECT * FROM v8_final_entries;
INSERT INTO final_coverage (final, run, kernel, first, last)
SELECT final, run, kernel, first - 10000000000000000, last - 10000000000000000 FROM v8_final_coverage;
INSERT INTO ceilings SELECT * FROM v8_ceilings;
INSERT INTO attempts SELECT * FROM v8_attempts ORDER BY rowid;
-- An outlook from before version 8 lacks the last four figures: 0 stands for that too.
INSERT INTO searches (id, tuning_case, run, strategy, ending, tried, failed, ended_at,
                      gain, low, high, estimate, stretch, behind, behind_at_worst, faster)
SELECT id, contest, run, strategy, ending, tried, failed, ended_at, gain, low, high, estimate,
       iif(gain IS NULL, NULL, coalesce(stretch, 0)), iif(gain IS NULL, NULL, coalesce(behind, 0)),
       iif(gain IS NULL, NULL, coalesce(behind_at_worst, 0)), iif(gain IS NULL, NULL, coalesce(faster, 0))
FROM v8_searches;
INSERT INTO search_kernels SELECT * FROM v8_search_kernels;
INSERT INTO declarations SELECT * FROM v8_declarations;
INSERT INTO declaration_succession SELECT * FROM v8_declaration_succession;
INSERT INTO kernel_specs SELECT * FROM v8_kernel_specs;
INSERT INTO judgements SELECT * FROM v8_judgements;
INSERT INTO probings SELECT * FROM v8_probings;
INSERT INTO verdicts SELECT * FROM v8_verdicts;
