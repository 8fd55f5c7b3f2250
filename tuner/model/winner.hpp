#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::model {

/// How the choice among tied finalists is explained to people.
constexpr const char* final_rule =
    "fewest registers, then the smallest block, then name; only those tied with the fastest and at most 1 % "
    "slower count";

/// The entry of `trial`; null where it took no part.
inline const FinalRecord::Entry* entry_of(const FinalRecord& final, const Digest& trial) {
  for (const FinalRecord::Entry& entry : final.entries) {
    if (entry.trial == trial) return &entry;
  }
  return nullptr;
}

/// Finalists that are considered and cannot be told from `winner`, fastest first: both are tied with the
/// fastest, or neither is and the intervals of their ratios overlap. Empty where `winner` took no part.
template <typename Counts>
std::vector<Digest> tied_with(const FinalRecord& final, const Digest& winner, const Counts& counts) {
  std::vector<Digest> tied;
  const FinalRecord::Entry* won = entry_of(final, winner);
  if (won == nullptr) return tied;
  for (const FinalRecord::Entry& entry : final.entries) {
    const bool overlap = entry.ratio_low <= won->ratio_high && won->ratio_low <= entry.ratio_high;
    const bool same = won->tied ? entry.tied : !entry.tied && overlap;
    if (&entry != won && same && counts(entry.trial)) tied.push_back(entry.trial);
  }
  return tied;
}

/// A baseline's time divided by the winner's: above 1, tuning has gained.
struct BaselineRatio {
  double ratio = 0;
  double low = 0;  ///< 95 % interval; without `paired` the ratio itself
  double high = 0;
  bool paired =
      false;  ///< both were sampled in turn in the final; false: from medians taken at different times
};

/// Both have a measurement. `final` chose the winner; null where there was none. The interval comes from the
/// final's intervals against the fastest, so it is wider than necessary where the winner is tied with the
/// fastest.
inline BaselineRatio baseline_ratio(const TrialRecord& baseline, const TrialRecord& winner,
                                    const FinalRecord* final) {
  const FinalRecord::Entry* ours = final == nullptr ? nullptr : entry_of(*final, winner.key);
  const FinalRecord::Entry* theirs = final == nullptr ? nullptr : entry_of(*final, baseline.key);
  if (ours == nullptr || theirs == nullptr || !(ours->ratio_low > 0)) {
    const double ratio = baseline.outcome.measurement->median_ns / winner.outcome.measurement->median_ns;
    return {ratio, ratio, ratio, false};
  }
  return {theirs->ratio / ours->ratio, theirs->ratio_low / ours->ratio_high,
          theirs->ratio_high / ours->ratio_low, true};
}

}  // namespace tuner::model
