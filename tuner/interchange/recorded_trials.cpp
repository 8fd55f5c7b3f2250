#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tuner/interchange/recorded_space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::interchange {
namespace {

constexpr const char* unknown_time = "1970-01-01T00:00:00.000000Z";

std::string text_or(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

model::Environment environment_of(const RecordedSpace& recorded, model::ElementType type) {
  const model::Environment& said = recorded.environment;
  const auto joined = [](const std::string& first, const std::string& between, const std::string& second) {
    return second.empty() ? first : first + between + second;
  };
  model::Environment environment = said;
  environment.device = text_or(recorded.device, "unknown device");
  environment.driver = text_or(said.driver, "unknown");
  environment.toolkit = joined(recorded.format, " of ", said.toolkit);
  environment.type = type;
  environment.l2 = text_or(said.l2, "warm");
  environment.method = joined(joined("recorded", " ", said.method), " ", recorded.instead_of_time);
  environment.inputs = text_or(said.inputs, "spec");
  return environment;
}

/// What tells problems of a family apart.
std::string problem_name(const model::Problem& problem) {
  const std::string padding = problem.row_padding == 0 ? "" : fmt::format(" pad {}", problem.row_padding);
  return problem.sizes_json() + padding;
}

model::RunRecord run_of(const RecordedSpace& recorded, const model::Environment& environment) {
  model::RunRecord run;
  model::DigestBuilder id;
  id.add("recorded run").add(recorded.format).add(recorded.kernel).add(environment.key());
  const std::string& begun = recorded.entries.front().measured_at;
  id.add(problem_name(recorded.case_problem())).add(begun);
  if (begun.empty()) id.add(recorded.first_entry());
  run.id = id.finish();
  run.command_line = "recorded by " + recorded.format;
  run.started_at = run.ended_at = text_or(begun, unknown_time);
  run.state = "done";
  run.device.id = run.device.kind = "replay";
  run.device.name = environment.device;
  run.device.architecture = "recorded";
  run.device.driver = environment.driver;
  run.toolkit = environment.toolkit;
  run.measured = static_cast<std::int64_t>(recorded.entries.size());
  return run;
}

model::Configuration configuration_of(const RecordedSpace& recorded, const RecordedSpace::Entry& entry) {
  std::vector<model::Assignment> assignments;
  for (std::size_t p = 0; p < recorded.parameters.size(); ++p) {
    const model::ParameterSpec& parameter = recorded.parameters[p];
    assignments.push_back({parameter.name, parameter.values[entry.coordinates[p]]});
  }
  return model::Configuration(std::move(assignments));
}

/// 95 % of the median, by the normal approximation of the binomial distribution of ranks; the time itself
/// where there are too few samples.
void set_interval(model::Measurement& measurement) {
  std::vector<double> sorted = measurement.samples_ns;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  const auto rank = static_cast<std::ptrdiff_t>(std::floor((count - 1.96 * std::sqrt(count)) / 2));
  measurement.min_ns = std::min(sorted.front(), measurement.median_ns);
  measurement.low_ns = measurement.high_ns = measurement.median_ns;
  if (rank < 0) return;
  // Kernel Tuner's time is a mean, which need not lie within the interval of the median.
  measurement.low_ns = std::min(measurement.median_ns, sorted[static_cast<std::size_t>(rank)]);
  measurement.high_ns =
      std::max(measurement.median_ns, sorted[sorted.size() - 1 - static_cast<std::size_t>(rank)]);
}

/// The block's extents, by Kernel Tuner's names for them.
model::Dim3 block_of(const model::Configuration& configuration) {
  model::Dim3 block;
  std::int64_t* const extents[] = {&block.x, &block.y, &block.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const model::Value* value = configuration.find(block_parameters[axis]);
    if (value != nullptr && !value->is_word() && value->code() > 0) *extents[axis] = value->code();
  }
  return block;
}

}  // namespace

std::string instead_of_time(const model::Environment& environment) {
  for (const std::string& text : {environment.method, environment.toolkit}) {
    std::string_view rest = text;
    const auto next = [&] { return rest.substr(0, rest.find(' ')); };
    const auto skip = [&] { rest.remove_prefix(std::min(rest.size(), next().size() + 1)); };
    if (next() != "recorded") continue;
    while (next() == "recorded") skip();
    // The method that our own export was measured by: standard-3.
    const std::size_t dash = next().rfind('-');
    if (dash != std::string_view::npos && util::parse_number<int>(std::string(next().substr(dash + 1))))
      skip();
    if (!rest.empty()) return std::string(rest);
  }
  return "";
}

model::TrialOutcome outcome_of(const RecordedSpace::Entry& entry) {
  model::TrialOutcome outcome;
  outcome.status = entry.status;
  if (!entry.time_ns) {
    outcome.detail = "failed so in the recording";
    return outcome;
  }
  model::Measurement& measurement = outcome.measurement.emplace();
  measurement.median_ns = *entry.time_ns;
  measurement.samples_ns = entry.samples_ns.empty() ? std::vector{*entry.time_ns} : entry.samples_ns;
  set_interval(measurement);
  return outcome;
}

RecordedTrials recorded_trials(const RecordedSpace& recorded) {
  RecordedTrials out;
  const model::Problem problem = recorded.case_problem();
  const model::Environment environment = environment_of(recorded, problem.type);
  out.run = run_of(recorded, environment);
  for (const RecordedSpace::Entry& entry : recorded.entries) {
    model::TrialRecord& trial = out.trials.emplace_back();
    trial.kernel = recorded.kernel;
    trial.configuration = configuration_of(recorded, entry);
    trial.problem = problem;
    trial.environment = environment;
    trial.origin = "recording";
    trial.block = block_of(trial.configuration);
    model::DigestBuilder binary;
    binary.add("recorded binary").add(trial.kernel).add(trial.configuration.canonical_json());
    trial.binary_key = binary.finish();
    model::DigestBuilder key;
    key.add("recorded trial").add(trial.binary_key).add(problem.family).add(problem_name(problem));
    trial.key = key.add(environment.key()).finish();
    trial.compile_ms = entry.compile_ms;
    trial.outcome = outcome_of(entry);
    trial.measured_at = text_or(entry.measured_at, unknown_time);
    trial.run = out.run.id;
    trial.sequence = static_cast<std::int64_t>(out.trials.size());
  }
  return out;
}

}  // namespace tuner::interchange
