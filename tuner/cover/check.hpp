#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/cover/cover.hpp"
#include "tuner/cover/table.hpp"

namespace tuner::cover {

/// Of each dimension the largest number that divides all of `sizes`, of which there is one.
Sizes shared_multiple(const std::vector<Sizes>& sizes);

/// Sizes that lie like `measured`: each between one of them and one of the nearest to it, by ratio, at
/// multiples of `multiple`. So dimensions that are equal, or that keep a ratio, do so here as well. At most
/// `count`, all different and none of `measured`; fewer where there are no more, or where they are hard to
/// find. The seed decides which, and a larger count begins with the same.
std::vector<Sizes> draw_between(const std::vector<Sizes>& measured, const Sizes& multiple, std::size_t count,
                                std::uint64_t seed);

/// What sizes that were measured afterwards say of a bound.
struct Held {
  std::size_t within = 0;  ///< sizes that lose no more than it says
  std::size_t of = 0;
  double chance = 0;          ///< of so few within, or fewer, where the bound holds just so
  bool is_refuted = false;    ///< that chance is under 5 %
  bool is_confirmed = false;  ///< so many within would have a chance under 5 % where it does not hold
};
/// Of a bound that is finite. `losses`: infinite where the pick has no time.
Held hold(const Bound& bound, const std::vector<double>& losses);

}  // namespace tuner::cover
