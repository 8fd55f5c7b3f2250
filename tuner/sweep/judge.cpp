#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/sweep/in_turn.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;

/// A trial on its way to a final.
struct Judged {
  model::TrialRecord record;  ///< with its outcome so far
  model::TrialJob job;
  std::string stage;                      ///< that it is in
  std::optional<model::OutputBits> bits;  ///< of its last run
};

std::optional<model::Configuration> only_configuration(const Work& work, const model::Problem& problem,
                                                       const model::DeviceLimits& limits) {
  std::optional<model::Configuration> only;
  work.kernel.enumerate(problem, limits, [&](const model::Configuration& configuration) {
    only = configuration;
    return false;
  });
  return only;
}

/// Throws where a failure is the problem's or the device's, and so no fault of the candidate.
void require_own(const model::TrialOutcome& failure, const model::Problem& problem) {
  if (failure.subject == model::Subject::problem || failure.subject == model::Subject::device)
    throw model::Error(fmt::format("{} cannot be judged: {}", problem.text(), failure.detail));
}

class Judge {
 public:
  Judge(const JudgeTask& task, const Repeating& with) : m_task(task), m_with(with), m_compiling(with.pool) {}

  /// Up to its verification, and that it is timed by itself.
  Judged examine(const Work& work, bool distrusted) {
    const Request& request = m_task.request;
    Judged judged;
    judged.stage = "launch";
    const auto configuration = only_configuration(work, m_task.problem, request.device.limits);
    if (!configuration && distrusted)
      throw model::UsageError(
          fmt::format("the constraints of the spec exclude {}", m_task.problem.text()),
          "judge at sizes that the parameters' values are for, or change these with --set");
    if (!configuration) {
      judged.record.kernel = work.kernel.spec().name;
      return failed(std::move(judged), TrialStatus::unlaunchable,
                    "the spec's constraints leave no such configuration");
    }
    const TrialMaker maker(request, work, m_task.problem);
    Trial trial = maker.make(*configuration);
    judged.record = trial.record;
    if (trial.record.outcome.status != TrialStatus::ok) return judged;
    const std::vector<model::Plan> probes = maker.probes(trial);
    Prepared prepared = prepare(request, std::move(trial), m_compiling, m_with.oracle);
    judged.record = std::move(prepared.record);
    if (!prepared.is_compiled) {
      judged.stage = "compile";
      judged.record.outcome.detail = judged.record.compile_log;
    }
    if (judged.record.outcome.status != TrialStatus::ok) return judged;
    judged.job = std::move(prepared.job);
    judged.job.probes = probes;
    judged.job.distrusted = distrusted;
    judged.stage = "verify";
    run(judged);
    return judged;
  }

  /// Once more, with another draw of the inputs: what was learnt of the first is worth nothing.
  void examine_again(Judged& judged) {
    judged.stage = "verify again";
    judged.job.seed = m_task.request.seed + 1;
    run(judged);
  }

 private:
  static Judged failed(Judged judged, TrialStatus status, std::string detail) {
    judged.record.outcome.status = status;
    judged.record.outcome.detail = std::move(detail);
    return judged;
  }

  void run(Judged& judged) {
    model::TrialOutcome outcome = m_with.runner.run(judged.job);
    judged.bits = outcome.output_bits;
    const bool is_fault = outcome.status != TrialStatus::ok;
    if (is_fault) require_own(outcome, m_task.problem);
    if (outcome.measurement) judged.job.best_ns = outcome.measurement->median_ns;
    // The first time is that which was taken by itself.
    if (!is_fault && judged.record.outcome.measurement) return;
    judged.record.outcome = std::move(outcome);
  }

  const JudgeTask& m_task;
  const Repeating& m_with;
  CompileAhead m_compiling;
};

/// Holds the last run of the candidate against that of the default (null: none was right), and refuses other
/// bits where they are asked for.
void compare_with_default(const JudgeTask& task, const Judged* untuned, Judged& candidate, Judgement& out) {
  const auto relation =
      untuned == nullptr ? model::BitsRelation::unknown : model::compare_bits(candidate.bits, untuned->bits);
  if (out.bits != model::BitsRelation::other) out.bits = relation;
  if (!task.same_bits || relation == model::BitsRelation::same) return;
  if (relation == model::BitsRelation::unknown)
    throw model::Error(fmt::format("the bits of the default at {} are unknown: {}", task.problem.text(),
                                   untuned == nullptr ? out.beside.front().left_out
                                                      : "the spec says that they differ from run to run"),
                       "judge without --same-bits");
  candidate.stage = "bits";
  candidate.record.outcome.status = TrialStatus::wrong_result;
  candidate.record.outcome.detail = "right within its bound, and not to the last bit as the default";
}

}  // namespace

Judgement judge(const JudgeTask& task, const Repeating& with) {
  Request request = task.request;
  sample_whole(request.policy);
  const JudgeTask whole{request, task.candidate, task.beside, task.problem, task.same_bits, task.stop};
  Judge judge(whole, with);
  Judgement out;
  Judged candidate = judge.examine(task.candidate, true);
  const auto ended = [&] {
    out.candidate = candidate.record;
    const model::TrialOutcome& outcome = candidate.record.outcome;
    // For want of a device or a tool, which is no fault of the candidate.
    if (outcome.status == TrialStatus::skipped)
      throw model::Error(fmt::format("{} cannot be judged: {}", task.problem.text(), outcome.detail));
    const bool refused = outcome.status != TrialStatus::ok;
    if (refused) out.stage = candidate.stage;
    return refused;
  };
  if (ended()) return out;
  const auto stopped = [&] { return out.interrupted = task.stop != nullptr && *task.stop; };

  std::vector<model::TrialJob> finalists = {candidate.job};
  std::optional<Judged> untuned;  // the first of those beside it
  for (const Work& work : task.beside) {
    if (stopped()) return out;
    const Judged rival = judge.examine(work, false);
    const bool takes_part = rival.record.outcome.status == TrialStatus::ok;
    out.beside.push_back(
        {rival.record, takes_part ? ""
                                  : fmt::format("{}: {}", model::to_string(rival.record.outcome.status),
                                                rival.record.outcome.detail)});
    if (takes_part) finalists.push_back(rival.job);
    if (takes_part && out.beside.size() == 1) untuned = rival;
  }
  compare_with_default(task, untuned ? &*untuned : nullptr, candidate, out);
  if (ended() || stopped()) return out;
  const model::FinalOutcome outcome = sample_in_turn(request, std::move(finalists), with.runner);
  if (!outcome.complete()) {
    require_own(outcome.failure, task.problem);
    // Beside what was right when it was alone, only the candidate is new.
    candidate.stage = "final";
    candidate.record.outcome = outcome.failure;
    ended();
    return out;
  }
  double alone_ns = candidate.record.outcome.measurement.value().median_ns;
  const double in_turn_ns = outcome.standings.front().measurement.median_ns;
  if (model::takes_less_than_its_work(in_turn_ns, alone_ns)) {
    judge.examine_again(candidate);  // other programs may have slowed it when it was alone
    if (ended()) return out;
    alone_ns = std::min(alone_ns, candidate.job.best_ns);
  }
  if (model::takes_less_than_its_work(in_turn_ns, alone_ns)) {
    candidate.stage = "final";
    candidate.record.outcome.status = TrialStatus::unstable;
    candidate.record.outcome.detail =
        fmt::format("alone it takes {:.1f} µs, launch after launch {:.1f} µs: it does not work each time",
                    alone_ns / 1e3, in_turn_ns / 1e3);
    ended();
    return out;
  }
  out.standings = outcome.standings;
  out.rounds = outcome.rounds;
  if (stopped()) return out;
  judge.examine_again(candidate);
  if (ended() || !untuned) return out;
  judge.examine_again(*untuned);
  compare_with_default(task, &*untuned, candidate, out);
  ended();
  return out;
}

}  // namespace tuner::sweep
