#pragma once
#include <vector>

#include "tuner/model/final.hpp"

namespace tuner::test {

/// The final of a runner that needs no rounds, since its times do not vary. `run` says how a trial ends.
template <class Run>
model::FinalOutcome simple_final(Run run, const model::FinalJob& job) {
  model::FinalOutcome out;
  std::vector<model::Standing> standings;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    const model::TrialOutcome outcome = run(job.trials[i]);
    if (!outcome.measurement) {
      out.failure = outcome;
      out.culprit = i;
      return out;
    }
    standings.push_back({*outcome.measurement});
    if (standings[i].measurement.median_ns < standings[out.fastest].measurement.median_ns) out.fastest = i;
  }
  for (model::Standing& standing : standings) {
    standing.ratio = standing.measurement.median_ns / standings[out.fastest].measurement.median_ns;
    standing.ratio_low = standing.ratio_high = standing.ratio;
    standing.tied = standing.ratio == 1;
  }
  out.standings = std::move(standings);
  out.rounds = 1;
  return out;
}

}  // namespace tuner::test
