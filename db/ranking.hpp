#pragma once
#include <vector>

#include "db/best.hpp"

namespace db {

/// A trial of a contest beside the others.
struct Ranked {
  tuner::model::TrialRecord trial;  ///< without raw samples
  /// Its time by that of the fastest of the answer's final, or without one of the answer's winner; by the
  /// times of the race where it was not in that final.
  double ratio = 1;
  double ratio_low = 1;  ///< 95 % interval, where they were sampled in turn
  double ratio_high = 1;
  /// The ratio is that of the answer's final; else of two medians of the race, of which the fastest's is what
  /// all contestants together say (FinalCheck::raced_ns).
  bool in_final = false;
};

/// The trials of the answer's contest in the order in which one would use them: the answer's winner, then by
/// their ratios. Those that compete and those that were dropped early, whose ratios are approximate: so the
/// first of any part is the best of that part. Of the kernel that `query` names, where it names one.
std::vector<Ranked> ranking(const Connection& db, const BestAnswer& answer, const BestQuery& query);

}  // namespace db
