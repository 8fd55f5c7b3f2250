#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/search/laboratory.hpp"

namespace bench {

/// How one search ended that was left to end by itself, and how far its answer is behind the best of the
/// space.
struct End {
  std::size_t tried = 0;
  std::size_t failed = 0;  ///< of those tried
  double behind = 0;       ///< 0.05: the answer takes 5 % longer than the best
  std::optional<tuner::search::Outlook> outlook;
};

/// Plays a strategy as a sweep does, until a gain of `until` is no longer to be had.
End play_to_end(const Laboratory& laboratory, const std::string& strategy, std::uint64_t seed,
                std::size_t depth, double until);

/// The ends of several searches.
struct Ends {
  std::string space;
  std::vector<End> all;
  double share_behind(double more_than) const;
  double share_failed() const;  ///< of the trials
  /// What is printed of them: a line of a table.
  std::string line() const;
  static std::string heading();
};

/// How many of all ended more than 5 % behind, and on which space most: the figures of learn/experience.hpp.
std::string experience(const std::vector<Ends>& spaces);

}  // namespace bench
