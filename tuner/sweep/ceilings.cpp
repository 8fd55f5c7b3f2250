#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "tuner/model/device.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {
namespace {

std::set<model::ElementType> types_of(const Request& run) {
  std::set<model::ElementType> types;
  for (const Work& work : run.work) {
    for (const model::Problem& problem : work.problems) types.insert(problem.type);
  }
  return types;
}

bool is_known(const CeilingTask& task, const std::string& kind, model::ElementType type) {
  return std::ranges::any_of(task.known, [&](const model::Ceiling& ceiling) {
    return ceiling.device == task.run.device.name && ceiling.kind == kind && ceiling.type == type;
  });
}

/// The kernels of the ceilings that are not known, each with the problems to measure them on.
std::vector<Work> missing_ceilings(const CeilingTask& task) {
  std::vector<Work> work;
  for (const model::KernelSpec& kernel : task.kernels) {
    if (kernel.ceiling.empty() || !model::runs_on(kernel.device_kinds, task.run.device.kind)) continue;
    Work one{space::KernelSpace(kernel), {}};
    for (const model::ElementType type : types_of(task.run)) {
      const auto problem = one.kernel.ceiling_problem(task.run.device.limits, type);
      if (!problem || is_known(task, kernel.ceiling, problem->type)) continue;
      if (std::ranges::find(one.problems, *problem) == one.problems.end()) one.problems.push_back(*problem);
    }
    if (!one.problems.empty()) work.push_back(std::move(one));
  }
  return work;
}

Request ceiling_request(const CeilingTask& task, std::vector<Work> work) {
  Request request;
  request.work = std::move(work);
  request.device = task.run.device;
  request.compiler = task.run.compiler;
  request.policy = task.policy;
  request.seed = task.run.seed;
  request.inputs_seed = task.run.inputs_seed;
  request.run = task.run.run;
  request.run.id = model::Digest::random();
  request.run.command_line += "  # the device's ceilings";
  return request;
}

struct Measured {
  std::optional<model::Ceiling> ceiling;  ///< absent: a trial is missing, or none is ok
  bool is_complete = true;                ///< every trial was tried
};

/// From the trials that `task.source` knows.
Measured ceiling_of(const CeilingTask& task, const Request& request, const Work& work,
                    const model::Problem& problem) {
  const model::KernelSpec& spec = work.kernel.spec();
  const std::string& unit = spec.metrics.front().name;
  const TrialMaker maker(request, work, problem);
  const auto configurations = work.kernel.list(problem, request.device.limits);
  std::optional<model::Ceiling> best;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const auto trial = task.source.find(maker.key(configurations[i]));
    if (!trial) return {std::nullopt, false};
    const auto metric = trial->metrics.find(unit);
    if (!model::has_trusted_time(trial->outcome.status) || metric == trial->metrics.end()) continue;
    const double value = metric->second * *model::ceiling_unit(spec.ceiling, unit);
    const bool better =
        !best || (model::is_least_best(spec.ceiling) ? value < best->value : value > best->value);
    if (better)
      best = model::Ceiling{request.device.name, spec.ceiling, problem.type, value, unit, trial->key, ""};
  }
  return {best};
}

Ending measure(const CeilingTask& task, const Request& request, const TrialList& list) {
  task.observer.notice(fmt::format("measuring what {} can do at most, once", request.device.name));
  for (const Exclusion& excluded : list.excluded) {
    task.observer.notice(
        fmt::format("left out: {} at {}: {}", excluded.kernel, excluded.problem.text(), excluded.reason));
  }
  return task.sweep(request, list);
}

}  // namespace

void measure_ceilings(const CeilingTask& task, Summary& run) {
  if (run.ending == Ending::interrupted || task.stop) return;
  if (run.finished + run.known == 0) return;
  std::vector<Work> work = missing_ceilings(task);
  if (work.empty()) return;
  const Request request = ceiling_request(task, std::move(work));
  const TrialList list = list_trials(request, task.source);
  const bool anything_new = list.total() > list.known();
  if (anything_new && measure(task, request, list) == Ending::interrupted) {
    run.ending = Ending::interrupted;
    return;
  }
  for (const Work& one : request.work) {
    for (const model::Problem& problem : one.problems) {
      const Measured measured = ceiling_of(task, request, one, problem);
      if (measured.ceiling) {
        task.record(*measured.ceiling);
      } else if (anything_new) {
        task.observer.notice(fmt::format(
            "its {} ceiling for {} could not be measured{}", one.kernel.spec().ceiling,
            model::cuda_name(problem.type),
            measured.is_complete ? "; `tuner list failures` says why" : ", for the reason above"));
      }
    }
  }
}

}  // namespace tuner::sweep
