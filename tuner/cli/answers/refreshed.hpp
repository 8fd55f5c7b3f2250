#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli::answers {

/// What became of the answer at one size in an environment of today.
struct Refreshed {
  db::BestAnswer before;                ///< in the environment that its finalists are from
  std::optional<db::BestAnswer> after;  ///< nothing: none of them has a time today
  /// The winner of before as a trial of today; nothing: its kernel has it no longer, or is not at hand.
  std::optional<model::TrialRecord> again;
};

/// Whether the winner of before is still the one to use.
enum class Keeps {
  same,     ///< it is chosen again
  tied,     ///< another is chosen, which cannot be told from it
  another,  ///< another is faster
  gone,     ///< it has no time today
};
Keeps keeps(const Refreshed& one);

/// For people: a table for each family and environment of before, then how many sizes keep their winner and
/// how the times have changed. A ratio of times has the interval that follows from both medians' intervals.
std::string refreshed_text(const std::vector<Refreshed>& sizes, const Style& style);

/// `{"schema_version": 1, "sizes": [{…, "from": environment, "before", "after", "winner": same, tied, another
/// or gone, "former", "time_ratio": {"ratio", "low", "high"}, "same_bits"}]}`.
std::string refreshed_json(const std::vector<Refreshed>& sizes);

}  // namespace tuner::cli::answers
