#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_maker.hpp"

/// Trials that are timed in turn outside of a sweep: nothing is searched and nothing is recorded.
namespace tuner::sweep {

/// What that works with; nothing is owned.
struct Repeating {
  compile::CompilePool& pool;
  model::TrialRunner& runner;
  LaunchOracle oracle;
};

/// All rounds of both parts of a final for each trial that takes part: none is dropped, and none leaves.
void sample_whole(model::MeasurePolicy& policy);

/// A trial that is compiled, and fits its device unless its outcome says why not.
struct Prepared {
  model::TrialRecord record;
  model::TrialJob job;      ///< where the outcome is ok
  bool is_compiled = true;  ///< else the compiler refused it
};
/// Throws model::Error where the reference does not compile.
Prepared prepare(const Request& request, Trial trial, CompileAhead& compiling, const LaunchOracle& oracle);

/// Samples trials that have run, in turn.
model::FinalOutcome sample_in_turn(const Request& request, std::vector<model::TrialJob> trials,
                                   model::TrialRunner& runner);

/// Measures `trials`, of one problem, once more: compiles them, verifies each, then samples all of them in
/// turn, whole. `request.work` must have their kernels. Throws model::UsageError where a trial is not
/// what its kernel, compiler or device make of its configuration today, model::Error where one fails.
model::FinalOutcome repeat_in_turn(const Request& request, const std::vector<model::TrialRecord>& trials,
                                   const Repeating& with);

/// Compiles a remembered trial again and counts what one run of it does, as TrialRunner::profile() says, with
/// `metrics` and the spec's beside the usual ones. Throws as repeat_in_turn() does, and where nothing can be
/// counted.
model::Profile profile_again(const Request& request, const model::TrialRecord& trial,
                             const std::vector<std::string>& metrics, const Repeating& with);

/// A kernel to be judged on one problem, and what it is timed beside. Each has a space of one configuration.
struct JudgeTask {
  const Request& request;  ///< device, policy and seed; its work does not count
  const Work& candidate;
  const std::vector<Work>& beside;  ///< the spec's default, then the libraries
  const model::Problem& problem;
  bool same_bits = false;  ///< refuse a candidate whose outputs are not the default's to the last bit
  const std::atomic<bool>* stop = nullptr;  ///< nothing is begun once that is set; null: never
};

/// What was found, in the order in which it is looked for.
struct Judgement {
  /// Where the candidate was refused: `launch`, `compile`, `verify`, `bits`, `final` or `verify
  /// again`. Empty: nowhere.
  std::string stage;
  model::TrialRecord candidate;  ///< its outcome is why
  struct Beside {
    model::TrialRecord trial;
    std::string left_out;  ///< why it was not timed; empty: it was
  };
  std::vector<Beside> beside;
  /// Of the final: the candidate's, then of those beside it that took part, in their order.
  std::vector<model::Standing> standings;
  int rounds = 0;
  /// Whether it gives the default's bits, as far as it was run; other where one of its runs did.
  model::BitsRelation bits = model::BitsRelation::unknown;
  bool interrupted = false;  ///< before all of this was looked for
  bool refused() const { return !stage.empty(); }
  bool accepted() const { return !refused() && !interrupted; }
};

/// Compiles the candidate, runs it as a sweep would (probes, fences, both input sets, stability) and, since
/// it may try to look right and fast, as TrialJob::distrusted says; samples it in turn with those beside it;
/// and verifies it once more on other inputs. Nothing is recorded. Throws model::Error where it cannot be
/// judged: no reference, no inputs, a device that breaks; no bits of the default, where these are asked for.
Judgement judge(const JudgeTask& task, const Repeating& with);

}  // namespace tuner::sweep
