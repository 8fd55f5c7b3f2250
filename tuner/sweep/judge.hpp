#pragma once
#include <string>
#include <vector>

#include "tuner/sweep/sweep.hpp"

namespace tuner::sweep {

/// A kernel to be judged on one problem, and what it is timed beside. Each has a space of one configuration.
struct JudgeTask {
  const Request& request;  ///< device, policy and seed; its work does not count
  const Work& candidate;
  const std::vector<Work>& beside;  ///< the spec's default, then the libraries
  const model::Problem& problem;
  bool same_bits = false;  ///< refuse a candidate whose outputs are not the default's to the last bit
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
  bool accepted() const { return stage.empty(); }
};

/// Compiles the candidate, runs it as a sweep would (probes, fences, both input sets, stability) and, since
/// it may try to look right and fast, as TrialJob::distrusted says; samples it in turn with those beside it;
/// and verifies it once more on other inputs. Nothing is recorded. Throws model::Error where it cannot be
/// judged: no reference, no inputs, a device that breaks; no bits of the default, where these are asked for.
Judgement judge(const JudgeTask& task, const Repeating& with);

}  // namespace tuner::sweep
