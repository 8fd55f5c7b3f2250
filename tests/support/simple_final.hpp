#pragma once
#include <optional>
#include <vector>

#include "tuner/model/trial.hpp"

namespace tuner::test {

/// The final of a runner that needs no rounds, since its times do not vary. `run` says how a trial ends.
template <class Run>
model::FinalOutcome simple_final(Run run, const model::FinalJob& job) {
  model::FinalOutcome out;
  std::vector<model::Standing> standings;
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    const model::TrialOutcome outcome = run(job.trials[i]);
    if (!outcome.measurement) {
      out.failure = outcome;
      out.culprit = i;
      return out;
    }
    standings.push_back({*outcome.measurement});
    const bool faster =
        !fastest || outcome.measurement->median_ns < standings[*fastest].measurement.median_ns;
    if (model::may_win(job.trials[i].role) && faster) fastest = i;
  }
  out.fastest = fastest.value_or(0);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    model::Standing& standing = standings[i];
    standing.ratio = standing.measurement.median_ns / standings[out.fastest].measurement.median_ns;
    standing.ratio_low = standing.ratio_high = standing.ratio;
    standing.tied = standing.ratio == 1 && model::may_win(job.trials[i].role);
  }
  out.standings = std::move(standings);
  out.rounds = 1;
  return out;
}

}  // namespace tuner::test
