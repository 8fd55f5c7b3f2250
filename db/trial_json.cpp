#include "db/trial_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "db/json.hpp"
#include "db/json_values.hpp"
#include "db/machine.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/fields.hpp"

namespace db {
namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

Json json_of(const Digest& digest) {
  return digest.empty() ? "" : digest.hex();
}

Json json_of(const Dim3& extent) {
  return Json::array({extent.x, extent.y, extent.z});
}

Json json_of(const Workload& value) {
  return {{"operations", json_number(value.operations)}, {"bytes", json_number(value.bytes)}};
}

Json json_of(const StoredMeasurement& value) {
  return {{"measured_at", value.measured_at},
          {"run", json_of(value.run)},
          {"sequence", value.sequence},
          {"status", to_string(value.status)},
          {"metrics", db::json_of(value.metrics)},
          {"measurement", object_of(value.measurement)}};
}

/// An optional part: null where it is absent.
template <typename Part>
Json json_of(const std::optional<Part>& part) {
  return part ? object_of(*part) : Json();
}

constexpr std::size_t most_earlier = 100'000;

Dim3 extent_from(const Fields& fields, const char* name) {
  const Json& list = fields.array(name, 3);
  const auto whole = [](const Json& item) { return item.is_number_integer(); };
  if (list.size() != 3 || !std::all_of(list.begin(), list.end(), whole))
    fields.refuse(name, "three whole numbers");
  return {list[0].get<std::int64_t>(), list[1].get<std::int64_t>(), list[2].get<std::int64_t>()};
}

Measurement measurement_from(const Fields& fields) {
  const auto value = object_from<Measurement>(fields, most_samples);
  if (value.launches_per_sample < 1) fields.refuse("launches_per_sample", "a whole number from 1 on");
  if (value.throttled_samples < 0) fields.refuse("throttled_samples", "a whole number from 0 on");
  return value;
}

/// Exports of before have none: there the time of day grew within a run.
std::int64_t sequence_from(const Fields& fields, const std::string& measured_at) {
  return fields.has("sequence") ? fields.integer("sequence", 0) : microseconds_of(measured_at);
}

StoredMeasurement stored_from(const Fields& fields) {
  StoredMeasurement value;
  value.measured_at = fields.text("measured_at", 64);
  value.run = fields.digest("run");
  value.sequence = sequence_from(fields, value.measured_at);
  value.status = fields.status("status");
  if (fields.has("metrics")) value.metrics = metrics_from(fields.value("metrics"));
  value.measurement = measurement_from(fields.object("measurement"));
  return value;
}

TrialOutcome outcome_from(const Fields& fields) {
  TrialOutcome outcome;
  outcome.status = fields.status("status");
  outcome.detail = fields.text("detail", longest_text);
  outcome.verification = object_from<Verification>(fields.object("verification"));
  if (fields.has("measurement")) outcome.measurement = measurement_from(fields.object("measurement"));
  const bool timed = outcome.measurement && outcome.measurement->median_ns > 0;
  if (has_trusted_time(outcome.status) && !timed)
    fields.refuse("measurement", "a time, the status being ok,");
  outcome.device_lost = fields.flag("device_lost");
  outcome.driver_blocks_per_multiprocessor = fields.small("driver_blocks_per_multiprocessor");
  return outcome;
}

Role role_from(const Fields& fields) {
  const auto role = parse_role(fields.text("role"));
  if (!role) fields.refuse("role", "competitor, baseline or ceiling");
  return *role;
}

Workload workload_from(const Fields& fields) {
  const Workload value{fields.real("operations"), fields.real("bytes")};
  if (!(value.operations >= 0) || !std::isfinite(value.operations))
    fields.refuse("operations", "a number from 0 on");
  if (!(value.bytes >= 0) || !std::isfinite(value.bytes)) fields.refuse("bytes", "a number from 0 on");
  return value;
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
  if (!trial.macros.assignments().empty()) out["macros"] = db::json_of(trial.macros);
  out["default"] = trial.is_default;
  if (!trial.origin.empty()) out["idea"] = trial.origin;
  out["class"] = db::json_of(trial.environment);
  out["status"] = to_string(outcome.status);
  out["detail"] = outcome.detail;
  out["measurement"] = json_of(outcome.measurement);
  out["metrics"] = db::json_of(trial.metrics);
  if (trial.workload != Workload{}) out["workload"] = json_of(trial.workload);
  out["verification"] = object_of(outcome.verification);
  if (trial.role != Role::competitor) out["role"] = to_string(trial.role);
  if (!trial.definition.empty()) out["definition"] = json_of(trial.definition);
  out["binary"] = json_of(trial.binary_key);
  if (!trial.probe_key.empty()) out["probe"] = json_of(trial.probe_key);
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
  if (!trial.gpu.empty()) out["gpu"] = trial.gpu;
  out["sequence"] = trial.sequence;
  if (!earlier.empty()) {
    out["earlier"] = Json::array();
    for (const StoredMeasurement& past : earlier) out["earlier"].push_back(json_of(past));
  }
  return json_line(out);
}

TrialWithPast trial_from_json(const Json& value) {
  const Fields fields(value);
  TrialWithPast out;
  TrialRecord& trial = out.trial;
  trial.key = fields.digest("trial");
  if (trial.key.empty()) fields.refuse("trial", "an identifier");
  trial.kernel = fields.text("kernel");
  trial.configuration = configuration_from(fields.value("configuration"));
  trial.problem = problem_from(fields);
  trial.environment = environment_from(fields.object("class"));
  trial.is_default = fields.flag("default");
  if (fields.has("macros")) trial.macros = configuration_from(fields.value("macros"));
  if (fields.has("gpu")) trial.gpu = fields.text("gpu", 256);
  if (fields.has("idea")) trial.origin = fields.text("idea", 256);
  if (fields.has("role")) trial.role = role_from(fields);
  // In the first version of exports: of the source texts alone.
  for (const char* name : {"source", "definition"}) {
    if (fields.has(name)) trial.definition = fields.digest(name);
  }
  trial.binary_key = fields.digest("binary");
  if (fields.has("probe")) trial.probe_key = fields.digest("probe");
  trial.grid = extent_from(fields, "grid");
  trial.block = extent_from(fields, "block");
  trial.dynamic_shared_bytes = fields.integer("dynamic_shared_bytes", 0);
  if (fields.has("resources")) trial.resources = object_from<KernelResources>(fields.object("resources"));
  if (fields.has("occupancy")) trial.occupancy = object_from<Occupancy>(fields.object("occupancy"));
  trial.compile_ms = fields.real("compile_ms");
  trial.compile_log = fields.text("compile_log", longest_text);
  trial.outcome = outcome_from(fields);
  trial.metrics = metrics_from(fields.value("metrics"));
  if (fields.has("workload")) trial.workload = workload_from(fields.object("workload"));
  trial.measured_at = fields.text("measured_at", 64);
  trial.run = fields.digest("run");
  trial.sequence = sequence_from(fields, trial.measured_at);
  if (fields.has("earlier")) {
    for (const Json& item : fields.array("earlier", most_earlier)) {
      out.earlier.push_back(stored_from(Fields(item, "earlier")));
    }
  }
  return out;
}

}  // namespace db
