#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/trial.hpp"

namespace tuner::model {

/// The best trials of one problem, to be sampled in turn: whatever drifts hits all of them alike, so sample i
/// of one may be held against sample i of another.
///
/// Rounds, each with one sample of every contestant in an order of its own, first choose the fastest: who is
/// clearly slower leaves, until one is left or the policy's limit is reached. Then as many rounds as the
/// policy says are taken afresh of those left. The figures of the fastest are from these alone: the best of
/// many noisy medians is better than it deserves.
struct FinalJob {
  std::vector<TrialJob> trials;  ///< of one problem and one policy, all verified before
  std::uint64_t seed = 0;        ///< of the order within rounds, and of the bootstrap
};

/// How one contestant did.
struct Standing {
  /// From the confirming rounds; of a contestant that left before, from the rounds it took part in.
  Measurement measurement;
  /// Its time by the fastest one's over the rounds both took part in (measure::paired_ratio), and an interval
  /// that holds for all contestants at once with 95 %. The fastest: 1. One that is tied may have less than 1:
  /// the fastest was chosen before these rounds.
  double ratio = 1;
  double ratio_low = 1;
  double ratio_high = 1;
  bool tied = false;  ///< cannot be told from the fastest (measure::Final says when), or it is the fastest;
                      ///< never a baseline
  bool operator==(const Standing&) const = default;
};

struct FinalOutcome {
  std::vector<Standing> standings;  ///< parallel to FinalJob::trials; empty where the final failed
  std::size_t fastest = 0;
  int rounds = 0;            ///< of both parts together
  int throttled_rounds = 0;  ///< taken again because a sample's clock was lowered
  /// Why there are no standings; a contestant that fails here though it passed before is named in `culprit`.
  TrialOutcome failure;
  std::optional<std::size_t> culprit;
  bool complete() const { return !standings.empty(); }
  bool operator==(const FinalOutcome&) const = default;
};

/// A final as remembered.
struct FinalRecord {
  /// Results that were there when the contenders were chosen, so that the final speaks of them too, contender
  /// or not: those of one run and kernel with a sequence from `first` to `last`. Sets, not times: what
  /// another database adds later is not covered, however early it was measured.
  struct Coverage {
    Digest run;  ///< empty: unknown
    std::string kernel;
    std::int64_t first = 0;
    std::int64_t last = 0;
    auto operator<=>(const Coverage&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Entry {
    Digest trial;
    double ratio = 1;  ///< these four as in Standing
    double ratio_low = 1;
    double ratio_high = 1;
    bool tied = false;
    bool operator==(const Entry&) const = default;
  };
  Problem problem;
  ComparisonClass comparison_class;
  /// Fastest first, baselines after all that may win.
  std::vector<Entry> entries;
  /// The one to use, by a rule among those tied whose interval ends below 1.01: fewest registers, then the
  /// smallest block, then kernel and configuration by name.
  Digest chosen;
  int rounds = 0;
  int throttled_rounds = 0;
  std::vector<Coverage>
      coverage;  ///< its contestants, as they were measured in it, are added when it is kept
  Digest run;
  std::string measured_at;    ///< UTC, ISO 8601; set by the database
  std::int64_t sequence = 0;  ///< as TrialRecord::sequence, set by the database
  bool operator==(const FinalRecord&) const = default;
};

}  // namespace tuner::model
