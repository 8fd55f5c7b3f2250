#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tuner/cover/cover.hpp"

namespace tuner::cover {

/// At a share of all cases the loss is at most `loss`: so it is with this confidence, where the cases at hand
/// were drawn like those to come. By order statistics, which know no distribution.
struct Bound {
  double share = 0;
  double confidence = 0;
  double loss = 0;        ///< infinite: at too many of the cases the loss is unknown
  std::size_t cases = 0;  ///< that were at hand
};

/// Of `losses`, infinite where unknown: for 9 of 10, 4 of 5 and 1 of 2 cases, as far as so many cases can
/// speak of them, for which it takes 29, 14 and 5. Empty: they are too few to say anything.
std::vector<Bound> bounds(std::vector<double> losses, double confidence = 0.95);
/// The first that is finite, so of the largest share; null where none is.
const Bound* largest_known(const std::vector<Bound>& bounds);

/// What is lost at sizes that a cover was not made for.
struct Estimate {
  std::vector<double> singly;   ///< at each size where it alone was left out; infinite: nobody knows
  std::size_t left_out = 0;     ///< sizes that were left out singly
  std::size_t without_any = 0;  ///< … at which no configuration of the set may then run
  std::vector<double> in_neighbourhoods;  ///< at each size where all that are near it were left out as well
  std::vector<std::vector<std::size_t>> neighbourhoods;  ///< sizes that lie together
  std::vector<Bound> between;  ///< at sizes that lie like those measured, from `singly`
  std::vector<Bound> beyond;   ///< at the worst size of a neighbourhood without any measured size
};

/// Makes the cover again without each size and without each neighbourhood, and reads from the table what it
/// loses there. Of more than 64 sizes it leaves out every second, third, … singly.
Estimate estimate(const Losses& losses, const Goal& goal, const Effort& effort);

/// Cells of half an octave in each dimension, or of as many octaves as it takes until two sizes share a cell
/// in the mean.
std::vector<std::vector<std::size_t>> neighbourhoods(const std::vector<Sizes>& sizes);

}  // namespace tuner::cover
