#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli::answers {

/// What a user asks of trials: `registers <= 64 && VECTOR == 4`. Names are a kernel's parameters and
/// `registers`, `spill_bytes`, `shared_bytes` (static and dynamic), `block_threads`, `occupancy` (per cent),
/// `time_us` (the median), `energy_uj`, and counters by their metric's name with `_` for dots:
/// `dram__bytes_read_sum`. All are whole, rounded down. A parameter hides a figure of its name.
class TrialCondition {
 public:
  /// Empty text holds for all.
  explicit TrialCondition(std::string text, const std::vector<db::StoredCounter>& counters = {});

  bool empty() const { return m_text.empty(); }
  const std::string& text() const { return m_text; }

  /// Keeps the trials that it holds for. Of a trial that has no value for a name, what asks for that does not
  /// hold. Throws model::UsageError where no trial has a name, or the text is no condition.
  void keep(db::Ranking& ranking) const;

 private:
  std::string m_text;
  /// By trial, then by the names that a condition has for them.
  std::map<model::Digest, std::map<std::string, model::Value>> m_counters;
};

/// The trials of one case in the order in which one would use them.
struct RankedCase {
  db::BestAnswer answer;
  db::Ranking trials;
  std::int64_t left_out = 0;  ///< that are not shown
};

/// A table a case: what all share once, then each trial's own values, its time by the fastest's (`~` where
/// the two were not sampled in turn), registers and occupancy.
std::string ranking_text(const std::vector<RankedCase>& cases, const Style& style);

/// `{"schema_version": 2, "rankings": [{…, "environment", "trials": […]}]}`.
std::string ranking_json(const std::vector<RankedCase>& cases);

}  // namespace tuner::cli::answers
