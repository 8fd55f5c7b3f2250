#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/interchange/recorded_space.hpp"

namespace bench {

/// A kind of space in which a search is easily wrong.
struct Construction {
  std::string_view name;
  std::string_view description;
  double fast = 0;           ///< share of the configurations that lie in one region and take half as long
  double failing = 0;        ///< share that fails
  bool scattered = false;    ///< whether those fail at random; else where a sum of the parameters is large
  double moat = 0;           ///< share that fails around the fast region
  bool rare_kernel = false;  ///< whether a second kernel has six configurations, one of them the best
  bool is_held_out = false;  ///< no setting of `learn` was chosen on it
};

/// All there are.
std::span<const Construction> constructions();

/// Such a space of about 4,000 configurations, one member for each kernel. Every seed gives another: where
/// the best lies, how parameters work together, which configurations fail.
std::vector<tuner::interchange::RecordedSpace> construct(const Construction& kind, std::uint64_t seed);

/// The first kernel of that space on another size of the problem, on the same device: hills have moved a
/// little, no region is fast.
tuner::interchange::RecordedSpace construct_elsewhere(const Construction& kind, std::uint64_t seed);

}  // namespace bench
