#include "tuner/sweep/in_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/model/error.hpp"

namespace tuner::sweep {
namespace {

constexpr std::size_t shown_digits = 12;

std::string name_of(const model::TrialRecord& trial) {
  return fmt::format("trial {} ({} {})", trial.key.hex().substr(0, shown_digits), trial.kernel,
                     trial.configuration.text());
}

const Work& required_work(const Request& request, const model::TrialRecord& trial) {
  const Work* work = work_of(request, trial);
  if (work != nullptr) return *work;
  throw model::UsageError(fmt::format("{}: no kernel is called '{}'", name_of(trial), trial.kernel),
                          "name its spec with --kernel FILE");
}

void require_ok(const model::TrialRecord& trial, const model::TrialOutcome& outcome) {
  if (outcome.status == model::TrialStatus::ok) return;
  throw model::Error(
      fmt::format("{}: {}: {}", name_of(trial), model::to_string(outcome.status), outcome.detail));
}

/// The trial as it would be made today. Throws where that is another one.
Trial same_again(const Request& request, const Work& work, const model::TrialRecord& trial) {
  for (const model::ParameterSpec& parameter : work.kernel.spec().parameters) {
    if (trial.configuration.find(parameter.name) != nullptr) continue;
    throw model::UsageError(
        fmt::format("{}: its kernel has a parameter {} by now", name_of(trial), parameter.name),
        "run the kernel again, and compare the new trials");
  }
  // The times that are taken are of the policy of today, so of an environment of today: all else must be the
  // same.
  Request as_then = request;
  as_then.policy.name = trial.environment.method;
  as_then.policy.flush_l2 = trial.environment.l2 == "cold";
  as_then.policy.execution = model::parse_word<model::Execution>(trial.environment.execution_word())
                                 .value_or(request.policy.execution);
  as_then.policy.clock_mhz = trial.environment.clock_mhz;
  as_then.device.name = trial.environment.device;
  as_then.device.driver = trial.environment.driver;
  Trial again = TrialMaker(as_then, work, trial.problem).make(trial.configuration);
  if (again.record.key == trial.key) return again;
  throw model::UsageError(
      fmt::format("{} cannot be made again: its kernel's source or spec, the compiler ({}, then {}) or the "
                  "device's architecture (now {}) has changed",
                  name_of(trial), request.compiler, trial.environment.toolkit, request.device.architecture),
      "run the kernel again, and compare the new trials");
}

model::TrialJob make_job(const Request& request, const model::TrialRecord& trial, CompileAhead& compiling,
                         const LaunchOracle& oracle) {
  Trial again = same_again(request, required_work(request, trial), trial);
  require_ok(trial, again.record.outcome);
  Prepared prepared = prepare(request, std::move(again), compiling, oracle);
  require_ok(trial, prepared.record.outcome);
  return std::move(prepared.job);
}

}  // namespace

void sample_whole(model::MeasurePolicy& policy) {
  policy.cuts.clear();
  model::FinalPolicy& final = policy.final;
  final.confirming_rounds += final.choosing_rounds;
  final.choosing_rounds = 0;
  final.time_limit_ns *= 2;
}

Prepared prepare(const Request& request, Trial trial, CompileAhead& compiling, const LaunchOracle& oracle) {
  CompiledTrial compiled = compiling.compile_now(std::move(trial));
  add_compilation(compiled.trial, *compiled.binary, oracle);
  Prepared prepared{compiled.trial.record, {}, compiled.binary->status == model::TrialStatus::ok};
  if (prepared.record.outcome.status != model::TrialStatus::ok) return prepared;
  if (compiled.reference && compiled.reference->status != model::TrialStatus::ok) {
    throw model::Error(fmt::format("{}: the reference it is verified against does not compile:\n{}",
                                   name_of(prepared.record), compiled.reference->log));
  }
  prepared.job = job_of(request, compiled);
  return prepared;
}

model::FinalOutcome sample_in_turn(const Request& request, std::vector<model::TrialJob> trials,
                                   model::TrialRunner& runner) {
  model::FinalJob job;
  job.trials = std::move(trials);
  job.seed = request.seed;
  return runner.run_final(job);
}

model::FinalOutcome repeat_in_turn(const Request& request, const std::vector<model::TrialRecord>& trials,
                                   const Repeating& with) {
  Request whole = request;
  sample_whole(whole.policy);
  CompileAhead compiling(with.pool);
  std::vector<model::TrialJob> jobs;
  for (const model::TrialRecord& trial : trials)
    jobs.push_back(make_job(whole, trial, compiling, with.oracle));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const model::TrialOutcome outcome = with.runner.run(jobs[i]);
    require_ok(trials[i], outcome);
    if (outcome.measurement) jobs[i].best_ns = outcome.measurement->median_ns;
  }
  model::FinalOutcome outcome = sample_in_turn(request, std::move(jobs), with.runner);
  if (!outcome.complete()) {
    const std::string culprit = outcome.culprit ? name_of(trials[*outcome.culprit]) + ": " : "";
    throw model::Error(
        fmt::format("{}the trials could not be measured in turn: {}", culprit, outcome.failure.detail));
  }
  return outcome;
}

model::Profile profile_again(const Request& request, const model::TrialRecord& trial,
                             const std::vector<std::string>& metrics, const Repeating& with) {
  CompileAhead compiling(with.pool);
  model::ProfileJob job{make_job(request, trial, compiling, with.oracle), metrics};
  const std::vector<model::PlacedName>& counted = required_work(request, trial).kernel.spec().counted;
  for (const model::PlacedName& one : counted)
    if (std::ranges::count(job.metrics, one.name) == 0) job.metrics.push_back(one.name);
  model::Profile profile = with.runner.profile(job);
  for (const model::PlacedName& one : counted) {
    const bool is_asked = std::ranges::count(metrics, one.name) > 0;
    if (!is_asked &&
        profile.outcome.detail.find(fmt::format("no metric '{}'", one.name)) != std::string::npos)
      throw model::Error(fmt::format("{}: [profile] metrics: {}", one.where.text(), profile.outcome.detail),
                         "take it out of the spec, or name one of this GPU's");
  }
  require_ok(trial, profile.outcome);
  return profile;
}

}  // namespace tuner::sweep
