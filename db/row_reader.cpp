#include "db/row_reader.hpp"

#include <fmt/format.h>

#include <bit>

#include "db/samples.hpp"
#include "db/stored_json.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

ElementType read_type(Statement::Use& row) {
  const std::string text = row.text();
  if (const auto type = parse_element_type(text)) return *type;
  throw Error(fmt::format("'{}' is no element type", text));
}

TrialStatus read_status(Statement::Use& row) {
  const std::string text = row.text();
  if (const auto status = parse_trial_status(text)) return *status;
  throw Error(fmt::format("'{}' is no trial status", text));
}

Dim3 read_extent(Statement::Use& row) {
  Dim3 extent;
  extent.x = row.integer();
  extent.y = row.integer();
  extent.z = row.integer();
  return extent;
}

std::optional<KernelResources> read_resources(Statement::Use& row) {
  constexpr int columns = 9;
  if (row.null()) {
    row.skip(columns);
    return std::nullopt;
  }
  KernelResources resources;
  resources.entry = row.text();
  resources.symbol = row.text();
  resources.registers = row.small();
  resources.spill_store_bytes = row.small();
  resources.spill_load_bytes = row.small();
  resources.stack_bytes = row.small();
  resources.static_shared_bytes = row.small();
  resources.constant_bytes = row.small();
  resources.max_threads_per_block = row.small();
  return resources;
}

std::optional<Occupancy> read_occupancy(Statement::Use& row) {
  constexpr int columns = 4;
  if (row.null()) {
    row.skip(columns);
    return std::nullopt;
  }
  Occupancy occupancy;
  occupancy.limited_by = stored_names(row.text());
  occupancy.blocks_per_multiprocessor = row.small();
  occupancy.active_warps_per_multiprocessor = row.small();
  occupancy.fraction = row.real();
  return occupancy;
}

Verification read_verification(Statement::Use& row) {
  Verification verification;
  verification.checked = row.flag();
  verification.error_ratio = row.real();
  verification.error_ulp_scale = row.real();
  verification.wrong_elements = row.integer();
  verification.first_wrong = row.integer();
  verification.buffer = row.text();
  return verification;
}

Measurement read_measurement(Statement::Use& row, bool with_samples) {
  Measurement measurement;
  measurement.median_ns = row.real();
  measurement.low_ns = row.real();
  measurement.high_ns = row.real();
  measurement.min_ns = row.real();
  measurement.launches_per_sample = row.small();
  measurement.sm_clock_mhz = row.real();
  measurement.throttled_samples = row.small();
  measurement.temperature_c = row.real();
  measurement.power_w = row.real();
  measurement.includes_launch_latency = row.flag();
  if (with_samples) measurement.samples_ns = decode_samples(row.blob());
  return measurement;
}

void read_result(Statement::Use& row, bool with_samples, TrialRecord& trial) {
  TrialOutcome& outcome = trial.outcome;
  outcome.status = read_status(row);
  outcome.detail = row.text();
  outcome.device_lost = row.flag();
  outcome.driver_blocks_per_multiprocessor = row.small();
  outcome.verification = read_verification(row);
  trial.metrics = stored_metrics(row.text());
  trial.workload.operations = row.real();
  trial.workload.bytes = row.real();
  trial.measured_at = row.text();
  trial.run = row.digest();
  if (!row.null()) outcome.measurement = read_measurement(row, with_samples);
}

}  // namespace

Problem read_problem(Statement::Use& row) {
  Problem problem;
  problem.family = row.text();
  problem.sizes = stored_sizes(row.text());
  problem.type = read_type(row);
  problem.row_padding = row.integer();
  return problem;
}

ComparisonClass read_class(Statement::Use& row) {
  ComparisonClass value;
  value.device = row.text();
  value.driver = row.text();
  value.toolkit = row.text();
  value.type = read_type(row);
  value.l2 = row.text();
  value.method = row.text();
  value.inputs = row.text();
  return value;
}

TrialRecord read_trial(Statement::Use& row, bool with_samples) {
  TrialRecord trial;
  trial.key = row.digest();
  try {
    trial.kernel = row.text();
    const std::string configuration = row.text();
    trial.configuration = stored_configuration(configuration, row.text());
    trial.problem = read_problem(row);
    trial.comparison_class = read_class(row);
    trial.is_default = row.flag();
    trial.source_key = row.digest();
    trial.binary_key = row.digest();
    trial.grid = read_extent(row);
    trial.block = read_extent(row);
    trial.dynamic_shared_bytes = row.integer();
    trial.resources = read_resources(row);
    trial.occupancy = read_occupancy(row);
    trial.compile_ms = row.real();
    trial.compile_log = row.text();
    read_result(row, with_samples, trial);
  } catch (const Error& error) {
    throw error.in_context(fmt::format("trial {}", trial.key.hex()));
  }
  return trial;
}

StoredMeasurement read_stored_measurement(Statement::Use& row) {
  StoredMeasurement stored;
  stored.measured_at = row.text();
  stored.run = row.digest();
  stored.status = read_status(row);
  stored.measurement = read_measurement(row, true);
  return stored;
}

DeviceInfo read_device(Statement::Use& row) {
  DeviceInfo device;
  device.id = row.text();
  device.kind = row.text();
  device.name = row.text();
  device.uuid = row.text();
  device.architecture = row.text();
  device.compute_major = row.small();
  device.compute_minor = row.small();
  device.driver = row.text();
  device.memory_bytes = row.integer();
  device.limits = stored_limits(row.text());
  return device;
}

RunRecord read_run(Statement::Use& row) {
  RunRecord run;
  run.id = row.digest();
  run.command_line = row.text();
  run.started_at = row.text();
  run.ended_at = row.text();
  run.state = row.text();
  run.host = row.text();
  run.version = row.text();
  run.seed = std::bit_cast<std::uint64_t>(row.integer());
  run.toolkit = row.text();
  run.measured = row.integer();
  run.device = read_device(row);
  return run;
}

}  // namespace db
