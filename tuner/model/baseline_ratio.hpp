#pragma once
#include "tuner/model/final.hpp"

namespace tuner::model {

/// A baseline's time by that of the trial to use: above 1, tuning has gained.
struct BaselineRatio {
  double ratio = 0;
  double low = 0;  ///< 95 % interval; without `paired` the ratio itself
  double high = 0;
  bool paired = false;  ///< both were sampled in turn in `final`; else it is of medians taken at other times
};

/// Both have a measurement. `final` is that by which `winner` was found, null where there was none. The
/// interval is from the final's own, of each against the fastest: where the winner is not the fastest but
/// tied with it, wider than need be.
inline BaselineRatio baseline_ratio(const TrialRecord& baseline, const TrialRecord& winner,
                                    const FinalRecord* final) {
  const FinalRecord::Entry* ours = nullptr;
  const FinalRecord::Entry* theirs = nullptr;
  if (final != nullptr) {
    for (const FinalRecord::Entry& entry : final->entries) {
      if (entry.trial == winner.key) ours = &entry;
      if (entry.trial == baseline.key) theirs = &entry;
    }
  }
  if (ours == nullptr || theirs == nullptr || !(ours->ratio_low > 0)) {
    const double ratio = baseline.outcome.measurement->median_ns / winner.outcome.measurement->median_ns;
    return {ratio, ratio, ratio, false};
  }
  return {theirs->ratio / ours->ratio, theirs->ratio_low / ours->ratio_high,
          theirs->ratio_high / ours->ratio_low, true};
}

}  // namespace tuner::model
