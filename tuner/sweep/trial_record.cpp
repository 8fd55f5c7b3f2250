#include "tuner/sweep/trial_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;

const model::Step* first_launch(const model::Plan& plan) {
  const auto launch = std::find_if(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return step.kind == model::Step::Kind::launch;
  });
  return launch == plan.steps.end() ? nullptr : &*launch;
}

/// The reason why the spec keeps the kernel off this kind of device, if it does.
std::optional<std::string> excluded_device(const model::KernelSpec& spec, const model::DeviceInfo& device) {
  const auto& kinds = spec.device_kinds;
  if (kinds.empty() || device.kind == "replay") return std::nullopt;
  if (std::find(kinds.begin(), kinds.end(), device.kind) != kinds.end()) return std::nullopt;
  return fmt::format("the spec names devices [{}], this one is {}", fmt::join(kinds, ", "), device.kind);
}

void fail(Trial& trial, TrialStatus status, std::string detail) {
  trial.record.outcome.status = status;
  trial.record.outcome.detail = std::move(detail);
}

}  // namespace

Trial describe(const Request& request, const Work& work, const model::Problem& problem,
               const model::Configuration& configuration, const model::Digest& key) {
  Trial trial;
  model::TrialRecord& record = trial.record;
  record.key = key;
  record.kernel = work.kernel.spec().name;
  record.configuration = configuration;
  record.problem = problem;
  record.comparison_class = comparison_class(request, problem.type);
  record.is_default = work.kernel.is_default(configuration);
  record.run = request.run.id;
  record.source_key = work.kernel.source_key();
  record.workload = work.kernel.workload(problem);
  if (auto reason = excluded_device(work.kernel.spec(), request.device)) {
    fail(trial, TrialStatus::skipped, std::move(*reason));
    return trial;
  }
  auto plan = work.kernel.make_plan(problem, configuration, request.device.limits);
  if (auto* rejection = std::get_if<space::Rejection>(&plan)) {
    fail(trial, rejection->status, std::move(rejection->reason));
    return trial;
  }
  trial.plan = std::get<model::Plan>(std::move(plan));
  if (const model::Step* launch = first_launch(trial.plan)) {
    record.grid = launch->grid;
    record.block = launch->block;
    record.dynamic_shared_bytes = launch->dynamic_shared_bytes;
  }
  return trial;
}

void add_compilation(Trial& trial, const model::Compilation& compilation, const LaunchOracle& oracle) {
  model::TrialRecord& record = trial.record;
  record.compile_ms = compilation.compile_ms;
  record.compile_log = compilation.log;
  if (const model::Step* launch = first_launch(trial.plan)) {
    if (const model::KernelResources* resources = compilation.find(launch->entry))
      record.resources = *resources;
  }
  if (compilation.status != TrialStatus::ok) {
    const std::string first_line = compilation.log.substr(0, compilation.log.find('\n'));
    fail(trial, compilation.status, first_line.empty() ? "the compiler said nothing" : first_line);
    return;
  }
  for (const model::Step& step : trial.plan.steps) {
    const model::KernelResources* resources = compilation.find(step.entry);
    if (step.kind != model::Step::Kind::launch || !resources) continue;
    if (oracle.occupancy && &step == first_launch(trial.plan))
      record.occupancy = oracle.occupancy(*resources, step);
    if (!oracle.why_unlaunchable) continue;
    if (auto reason = oracle.why_unlaunchable(*resources, step)) {
      fail(trial, TrialStatus::unlaunchable, std::move(*reason));
      return;
    }
  }
}

void add_outcome(Trial& trial, model::TrialOutcome outcome, const Work& work) {
  trial.record.outcome = std::move(outcome);
  if (const auto& measurement = trial.record.outcome.measurement) {
    trial.record.metrics =
        work.kernel.metrics(trial.record.problem, trial.record.configuration, measurement->median_ns);
  }
}

}  // namespace tuner::sweep
