#include "tuner/interchange/written_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "tuner/interchange/recorded_space.hpp"
#include "tuner/model/error.hpp"

namespace tuner::interchange {
namespace {

using OutJson = nlohmann::ordered_json;
using model::TrialRecord;
using model::TrialStatus;

constexpr double ns_in_ms = 1e6;

std::string text_of(const OutJson& json, int indent = -1) {
  return json.dump(indent, ' ', false, OutJson::error_handler_t::replace);
}

OutJson json_of(const model::Value& value) {
  return value.is_word() ? OutJson(value.text()) : OutJson(value.code());
}

std::vector<std::string> parameter_names(const std::vector<TrialRecord>& trials) {
  std::vector<std::string> names;
  for (const model::Assignment& assignment : trials.front().configuration.assignments())
    names.push_back(assignment.name);
  for (const TrialRecord& trial : trials) {
    const auto& own = trial.configuration.assignments();
    const bool same = std::ranges::equal(own, names, {}, &model::Assignment::name);
    if (!same)
      throw model::Error(fmt::format("{} has configurations of other parameters ({} and {})", trial.kernel,
                                     trials.front().configuration.text(), trial.configuration.text()),
                         "these formats have one list of parameters");
  }
  return names;
}

/// Throws where what was recorded is no time.
void require_times(const TrialRecord& trial) {
  const std::string instead = instead_of_time(trial.environment);
  if (!instead.empty())
    throw model::Error(fmt::format("{} was recorded with {} in the place of times", trial.kernel, instead),
                       "the file that it was imported from has what was measured");
}

/// Those that say how a configuration did. The time of one that failed by its probes says nothing.
std::vector<TrialRecord> told(const std::vector<TrialRecord>& trials) {
  std::vector<TrialRecord> out;
  std::set<std::string> seen;
  for (const TrialRecord& trial : trials) {
    const TrialStatus status = trial.outcome.status;
    if (status == TrialStatus::skipped || status == TrialStatus::quarantined) continue;
    if (!seen.insert(trial.configuration.canonical_json()).second) continue;
    TrialRecord& kept = out.emplace_back(trial);
    if (!model::is_failure(status)) continue;
    kept.outcome.measurement.reset();
    kept.metrics.clear();
  }
  if (out.empty()) throw model::Error("no trial with an outcome is selected");
  require_times(out.front());
  return out;
}

std::vector<double> samples_ms(const TrialRecord& trial) {
  std::vector<double> out;
  if (trial.outcome.measurement)
    for (const double sample : trial.outcome.measurement->samples_ns) out.push_back(sample / ns_in_ms);
  return out;
}

/// Of `launches_per_sample` launches each, as long as all of it took.
double benchmark_ms(const TrialRecord& trial) {
  double sum = 0;
  for (const double sample : samples_ms(trial)) sum += sample;
  return trial.outcome.measurement ? sum * trial.outcome.measurement->launches_per_sample : sum;
}

/// RFC 3339 with the offset that Python's `fromisoformat` knows.
std::string timestamp(const TrialRecord& trial) {
  std::string text = trial.measured_at;
  if (text.ends_with('Z')) text.replace(text.size() - 1, 1, "+00:00");
  return text;
}

OutJson extents(const model::Problem& problem) {
  OutJson out = OutJson::array();
  for (const model::Dimension& size : problem.sizes) out.push_back(size.value);
  return out;
}

/// What the formats have no place for, read by read_recorded_space().
OutJson own_names(const TrialRecord& trial) {
  OutJson sizes = OutJson::array();
  for (const model::Dimension& size : trial.problem.sizes) sizes.push_back(size.name);
  OutJson out = {{"family", trial.problem.family},
                 {"type", std::string(model::cuda_name(trial.problem.type))},
                 {"sizes", sizes},
                 {"row_padding", trial.problem.row_padding},
                 {"environment", trial.environment.text()}};
  for (const auto& [name, member] : environment_names) out[name] = trial.environment.*member;
  out["clock_mhz"] = trial.environment.clock_mhz;
  return out;
}

const char* kernel_tuner_error(TrialStatus status) {
  if (status == TrialStatus::compile_error) return "CompilationFailedConfig";
  return status == TrialStatus::unlaunchable ? "InvalidConfig" : "RuntimeFailedConfig";
}

const char* t4_invalidity(TrialStatus status) {
  switch (status) {
    case TrialStatus::ok:
    case TrialStatus::dropped:
      return "correct";
    case TrialStatus::compile_error:
      return "compile";
    case TrialStatus::unlaunchable:
      return "constraints";
    case TrialStatus::timeout:
      return "timeout";
    case TrialStatus::wrong_result:
    case TrialStatus::out_of_bounds:
    case TrialStatus::input_modified:
    case TrialStatus::unstable:
      return "correctness";
    default:
      return "runtime";
  }
}

OutJson cache_entry(const TrialRecord& trial) {
  OutJson entry = OutJson::object();
  for (const model::Assignment& assignment : trial.configuration.assignments())
    entry[assignment.name] = json_of(assignment.value);
  if (trial.outcome.measurement) {
    entry["time"] = trial.outcome.measurement->median_ns / ns_in_ms;
    entry["times"] = samples_ms(trial);
    for (const auto& [name, value] : trial.metrics)
      if (!entry.contains(name)) entry[name] = value;
  } else {
    entry["time"] = kernel_tuner_error(trial.outcome.status);
  }
  entry["compile_time"] = trial.compile_ms;
  entry["verification_time"] = 0;
  entry["benchmark_time"] = benchmark_ms(trial);
  entry["strategy_time"] = 0;
  entry["framework_time"] = 0;
  entry["timestamp"] = timestamp(trial);
  return entry;
}

OutJson t4_result(const TrialRecord& trial) {
  OutJson configuration = OutJson::object();
  for (const model::Assignment& assignment : trial.configuration.assignments())
    configuration[assignment.name] = json_of(assignment.value);
  OutJson measurements = OutJson::array();
  if (trial.outcome.measurement) {
    measurements.push_back(
        {{"name", "time"}, {"value", trial.outcome.measurement->median_ns / ns_in_ms}, {"unit", "ms"}});
    for (const auto& [name, value] : trial.metrics)
      if (name != "time") measurements.push_back({{"name", name}, {"value", value}, {"unit", ""}});
  }
  const std::string invalidity = t4_invalidity(trial.outcome.status);
  return {{"timestamp", timestamp(trial)},
          {"configuration", configuration},
          {"times",
           {{"compilation", trial.compile_ms},
            {"benchmark", benchmark_ms(trial)},
            {"framework", 0},
            {"search_algorithm", 0},
            {"validation", 0},
            {"runtimes", samples_ms(trial)}}},
          {"invalidity", invalidity},
          {"correctness", invalidity == "correctness" ? 0 : 1},
          {"measurements", measurements},
          {"objectives", {"time"}}};
}

/// The values that occur, numbers ascending.
OutJson parameter_values(const std::vector<TrialRecord>& trials, const std::vector<std::string>& names) {
  OutJson out = OutJson::object();
  for (const std::string& name : names) {
    std::set<model::Value> values;
    for (const TrialRecord& trial : trials) values.insert(*trial.configuration.find(name));
    OutJson& list = out[name] = OutJson::array();
    for (const model::Value& value : values) list.push_back(json_of(value));
  }
  return out;
}

}  // namespace

std::string kernel_tuner_cache(const std::vector<TrialRecord>& all) {
  const std::vector<TrialRecord> trials = told(all);
  const TrialRecord& first = trials.front();
  const std::vector<std::string> names = parameter_names(trials);
  const OutJson head = {{"schema_version", "1.1.0"},   {"device_name", first.environment.device},
                        {"kernel_name", first.kernel}, {"problem_size", extents(first.problem)},
                        {"tune_params_keys", names},   {"tune_params", parameter_values(trials, names)},
                        {"objective", "time"},         {"tuner", own_names(first)}};
  // An entry a line, and brackets as Kernel Tuner's own: it cuts them off to go on writing.
  std::string text = text_of(head);
  text.pop_back();
  text += ",\n\"cache\": {";
  const char* separator = "\n";
  for (const TrialRecord& trial : trials) {
    std::string key;
    for (const model::Assignment& assignment : trial.configuration.assignments())
      key += (key.empty() ? "" : ",") + assignment.value.text();
    text += separator + text_of(key) + ": " + text_of(cache_entry(trial));
    separator = ",\n";
  }
  return text + "}\n}";
}

std::string t4_results(const std::vector<TrialRecord>& all) {
  const std::vector<TrialRecord> trials = told(all);
  static_cast<void>(parameter_names(trials));
  const TrialRecord& first = trials.front();
  OutJson results = OutJson::array();
  for (const TrialRecord& trial : trials) results.push_back(t4_result(trial));
  const OutJson file = {{"metadata",
                         {{"timeunit", "milliseconds"},
                          {"device_name", first.environment.device},
                          {"kernel_name", first.kernel},
                          {"problem_size", extents(first.problem)},
                          {"tuner", own_names(first)}}},
                        {"results", results},
                        {"schema_version", "1.0.0"}};
  return text_of(file, 1) + "\n";
}

std::string kernel_launcher_wisdom(const std::string& key, const std::vector<TrialRecord>& winners,
                                   const std::vector<model::DeviceInfo>& devices) {
  const OutJson header = {{"version", "1.0"},
                          {"objective", "time"},
                          {"tunable_parameters", parameter_names(winners)},
                          {"key", key}};
  std::string text = text_of(header) + "\n";
  for (const TrialRecord& winner : winners) {
    require_times(winner);
    if (winner.problem.sizes.size() > 3)
      throw model::Error(fmt::format("{} has {} sizes: kernel_launcher knows three", winner.kernel,
                                     winner.problem.sizes.size()),
                         "select others with --kernel or --family");
    OutJson values = OutJson::array();
    for (const model::Assignment& assignment : winner.configuration.assignments())
      values.push_back(json_of(assignment.value));
    OutJson environment = {{"date", timestamp(winner)},
                           {"device_name", winner.environment.device},
                           {"driver", winner.environment.driver},
                           {"compiler", winner.environment.toolkit}};
    const auto device = std::ranges::find(devices, winner.environment.device, &model::DeviceInfo::name);
    if (device != devices.end() && device->compute_major > 0)
      environment["compute_capability"] = 10 * device->compute_major + device->compute_minor;
    text += text_of(OutJson{{"config", values},
                            {"problem_size", extents(winner.problem)},
                            {"time", winner.outcome.measurement.value().median_ns / ns_in_ms},
                            {"environment", environment}}) +
            "\n";
  }
  return text;
}

std::string in_file_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '.') c = '_';
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

}  // namespace tuner::interchange
