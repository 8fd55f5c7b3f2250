#include <nlohmann/json.hpp>
#include <optional>

#include "db/json_values.hpp"
#include "db/trial_json.hpp"

namespace db {
namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

Json json_of(const Digest& digest) {
  return digest.empty() ? "" : digest.hex();
}

Json json_of(const Dim3& extent) {
  return Json::array({extent.x, extent.y, extent.z});
}

Json json_of(const KernelResources& value) {
  return {{"entry", value.entry},
          {"symbol", value.symbol},
          {"registers", value.registers},
          {"spill_store_bytes", value.spill_store_bytes},
          {"spill_load_bytes", value.spill_load_bytes},
          {"stack_bytes", value.stack_bytes},
          {"static_shared_bytes", value.static_shared_bytes},
          {"constant_bytes", value.constant_bytes},
          {"max_threads_per_block", value.max_threads_per_block}};
}

Json json_of(const Occupancy& value) {
  return {{"blocks_per_multiprocessor", value.blocks_per_multiprocessor},
          {"active_warps_per_multiprocessor", value.active_warps_per_multiprocessor},
          {"fraction", json_number(value.fraction)},
          {"limited_by", db::json_of(value.limited_by)}};
}

Json json_of(const Verification& value) {
  return {{"checked", value.checked},
          {"error_ratio", json_number(value.error_ratio)},
          {"error_ulp_scale", json_number(value.error_ulp_scale)},
          {"wrong_elements", value.wrong_elements},
          {"first_wrong", value.first_wrong},
          {"buffer", value.buffer}};
}

Json json_of(const Measurement& value) {
  Json samples = Json::array();
  for (const double sample : value.samples_ns) samples.push_back(json_number(sample));
  return {{"median_ns", json_number(value.median_ns)},
          {"low_ns", json_number(value.low_ns)},
          {"high_ns", json_number(value.high_ns)},
          {"min_ns", json_number(value.min_ns)},
          {"launches_per_sample", value.launches_per_sample},
          {"sm_clock_mhz", json_number(value.sm_clock_mhz)},
          {"throttled_samples", value.throttled_samples},
          {"temperature_c", json_number(value.temperature_c)},
          {"power_w", json_number(value.power_w)},
          {"includes_launch_latency", value.includes_launch_latency},
          {"samples_ns", std::move(samples)}};
}

Json json_of(const Workload& value) {
  return {{"operations", json_number(value.operations)}, {"bytes", json_number(value.bytes)}};
}

Json json_of(const StoredMeasurement& value) {
  return {{"measured_at", value.measured_at},
          {"run", json_of(value.run)},
          {"status", to_string(value.status)},
          {"measurement", json_of(value.measurement)}};
}

/// An optional part: null where it is absent.
template <typename Part>
Json json_of(const std::optional<Part>& part) {
  return part ? json_of(*part) : Json();
}

}  // namespace

std::string to_json(const TrialRecord& trial, const std::vector<StoredMeasurement>& earlier) {
  const TrialOutcome& outcome = trial.outcome;
  // Field by field: a braced list of pairs would have to copy every log it holds.
  Json out = Json::object();
  out["trial"] = json_of(trial.key);
  out["family"] = trial.problem.family;
  out["kernel"] = trial.kernel;
  out["sizes"] = db::json_of(trial.problem.sizes);
  out["type"] = cuda_name(trial.problem.type);
  out["row_padding"] = trial.problem.row_padding;
  out["configuration"] = db::json_of(trial.configuration);
  out["default"] = trial.is_default;
  out["class"] = db::json_of(trial.comparison_class);
  out["status"] = to_string(outcome.status);
  out["detail"] = outcome.detail;
  out["measurement"] = json_of(outcome.measurement);
  out["metrics"] = db::json_of(trial.metrics);
  if (trial.workload != Workload{}) out["workload"] = json_of(trial.workload);
  out["verification"] = json_of(outcome.verification);
  if (!trial.source_key.empty()) out["source"] = json_of(trial.source_key);
  out["binary"] = json_of(trial.binary_key);
  out["resources"] = json_of(trial.resources);
  out["occupancy"] = json_of(trial.occupancy);
  out["driver_blocks_per_multiprocessor"] = outcome.driver_blocks_per_multiprocessor;
  out["device_lost"] = outcome.device_lost;
  out["grid"] = json_of(trial.grid);
  out["block"] = json_of(trial.block);
  out["dynamic_shared_bytes"] = trial.dynamic_shared_bytes;
  out["compile_ms"] = json_number(trial.compile_ms);
  out["compile_log"] = trial.compile_log;
  out["measured_at"] = trial.measured_at;
  out["run"] = json_of(trial.run);
  if (!earlier.empty()) {
    out["earlier"] = Json::array();
    for (const StoredMeasurement& past : earlier) out["earlier"].push_back(json_of(past));
  }
  return json_line(out);
}

}  // namespace db
