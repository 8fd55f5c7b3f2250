#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "db/json_values.hpp"
#include "db/samples.hpp"
#include "db/trial_json.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

constexpr std::size_t most_earlier = 100'000;

Dim3 extent_from(const Fields& fields, const char* name) {
  const Json& list = fields.array(name, 3);
  const auto whole = [](const Json& item) { return item.is_number_integer(); };
  if (list.size() != 3 || !std::all_of(list.begin(), list.end(), whole))
    fields.refuse(name, "three whole numbers");
  return {list[0].get<std::int64_t>(), list[1].get<std::int64_t>(), list[2].get<std::int64_t>()};
}

KernelResources resources_from(const Fields& fields) {
  KernelResources value;
  value.entry = fields.text("entry");
  value.symbol = fields.text("symbol");
  value.registers = fields.small("registers");
  value.spill_store_bytes = fields.small("spill_store_bytes");
  value.spill_load_bytes = fields.small("spill_load_bytes");
  value.stack_bytes = fields.small("stack_bytes");
  value.static_shared_bytes = fields.small("static_shared_bytes");
  value.constant_bytes = fields.small("constant_bytes");
  value.max_threads_per_block = fields.small("max_threads_per_block");
  return value;
}

Occupancy occupancy_from(const Fields& fields) {
  Occupancy value;
  value.blocks_per_multiprocessor = fields.small("blocks_per_multiprocessor");
  value.active_warps_per_multiprocessor = fields.small("active_warps_per_multiprocessor");
  value.fraction = fields.real("fraction");
  value.limited_by = names_from(fields.value("limited_by"));
  return value;
}

Verification verification_from(const Fields& fields) {
  Verification value;
  value.checked = fields.flag("checked");
  value.error_ratio = fields.real("error_ratio");
  value.error_ulp_scale = fields.real("error_ulp_scale");
  value.wrong_elements = fields.integer("wrong_elements");
  value.first_wrong = fields.integer("first_wrong");
  value.buffer = fields.text("buffer");
  return value;
}

Measurement measurement_from(const Fields& fields) {
  Measurement value;
  value.median_ns = fields.real("median_ns");
  value.low_ns = fields.real("low_ns");
  value.high_ns = fields.real("high_ns");
  value.min_ns = fields.real("min_ns");
  value.launches_per_sample = static_cast<int>(fields.integer("launches_per_sample", 1, 1'000'000'000));
  value.sm_clock_mhz = fields.real("sm_clock_mhz");
  // These three came later than the first exports.
  if (fields.has("throttled_samples")) {
    value.throttled_samples = static_cast<int>(fields.integer("throttled_samples", 0, 1'000'000'000));
  }
  if (fields.has("temperature_c")) value.temperature_c = fields.real("temperature_c");
  if (fields.has("power_w")) value.power_w = fields.real("power_w");
  value.includes_launch_latency = fields.flag("includes_launch_latency");
  for (const Json& item : fields.array("samples_ns", most_samples)) {
    double sample = 0;
    if (!read_number(item, sample)) fields.refuse("samples_ns", "numbers");
    value.samples_ns.push_back(sample);
  }
  return value;
}

StoredMeasurement stored_from(const Fields& fields) {
  StoredMeasurement value;
  value.measured_at = fields.text("measured_at", 64);
  value.run = fields.digest("run");
  value.status = fields.status("status");
  value.measurement = measurement_from(fields.object("measurement"));
  return value;
}

TrialOutcome outcome_from(const Fields& fields) {
  TrialOutcome outcome;
  outcome.status = fields.status("status");
  outcome.detail = fields.text("detail", longest_text);
  outcome.verification = verification_from(fields.object("verification"));
  if (fields.has("measurement")) outcome.measurement = measurement_from(fields.object("measurement"));
  const bool timed = outcome.measurement && outcome.measurement->median_ns > 0;
  if (has_trusted_time(outcome.status) && !timed)
    fields.refuse("measurement", "a time, the status being ok,");
  outcome.device_lost = fields.flag("device_lost");
  outcome.driver_blocks_per_multiprocessor = fields.small("driver_blocks_per_multiprocessor");
  return outcome;
}

Workload workload_from(const Fields& fields) {
  const Workload value{fields.real("operations"), fields.real("bytes")};
  if (!(value.operations >= 0) || !std::isfinite(value.operations))
    fields.refuse("operations", "a number from 0 on");
  if (!(value.bytes >= 0) || !std::isfinite(value.bytes)) fields.refuse("bytes", "a number from 0 on");
  return value;
}

}  // namespace

TrialWithPast trial_from_json(const Json& value) {
  const Fields fields(value);
  TrialWithPast out;
  TrialRecord& trial = out.trial;
  trial.key = fields.digest("trial");
  if (trial.key.empty()) fields.refuse("trial", "an identifier");
  trial.kernel = fields.text("kernel");
  trial.configuration = configuration_from(fields.value("configuration"));
  trial.problem = problem_from(fields);
  trial.comparison_class = class_from(fields.object("class"));
  trial.is_default = fields.flag("default");
  if (fields.has("source")) trial.source_key = fields.digest("source");
  trial.binary_key = fields.digest("binary");
  trial.grid = extent_from(fields, "grid");
  trial.block = extent_from(fields, "block");
  trial.dynamic_shared_bytes = fields.integer("dynamic_shared_bytes", 0);
  if (fields.has("resources")) trial.resources = resources_from(fields.object("resources"));
  if (fields.has("occupancy")) trial.occupancy = occupancy_from(fields.object("occupancy"));
  trial.compile_ms = fields.real("compile_ms");
  trial.compile_log = fields.text("compile_log", longest_text);
  trial.outcome = outcome_from(fields);
  trial.metrics = metrics_from(fields.value("metrics"));
  if (fields.has("workload")) trial.workload = workload_from(fields.object("workload"));
  trial.measured_at = fields.text("measured_at", 64);
  trial.run = fields.digest("run");
  if (fields.has("earlier")) {
    for (const Json& item : fields.array("earlier", most_earlier)) {
      out.earlier.push_back(stored_from(Fields(item, "earlier")));
    }
  }
  return out;
}

}  // namespace db
