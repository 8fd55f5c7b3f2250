#pragma once
#include <cstdint>
#include <vector>

#include "tuner/cover/table.hpp"

namespace tuner::cover {

/// What a set of configurations is to achieve.
struct Goal {
  double within = 0.02;     ///< the smallest set that loses at most this at every size …
  std::size_t at_most = 0;  ///< … or, unless 0, the set of at most so many that loses least
};

/// How far a search for an exact answer goes before it is content with a good one.
struct Effort {
  std::int64_t sets = 50'000;    ///< partial sets looked at
  std::int64_t trees = 300'000;  ///< splits of a set of sizes looked at
};

struct Choice {
  std::vector<std::size_t> configurations;  ///< ascending
  bool exact = false;                       ///< proved to be the smallest, or to lose the least
};

/// What a configuration may be used for at a size, by the goal: its loss, or infinite where it may not.
double usable_loss(const Losses& losses, const Goal& goal, std::size_t size, std::size_t configuration);

/// Configurations that no other makes superfluous, whatever the goal and whichever of the sizes count.
std::vector<std::size_t> undominated(const Losses& losses);

/// The set for the sizes in `sizes`, out of `candidates`. A set of n leaves no size without a usable
/// configuration where it can be avoided; then its weighted mean loss is least, then its worst loss. Of the
/// smallest sets within a bound likewise.
Choice choose(const Losses& losses, const std::vector<std::size_t>& candidates, const Bits& sizes,
              const Goal& goal, const Effort& effort);

}  // namespace tuner::cover
