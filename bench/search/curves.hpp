#pragma once
#include <string>
#include <vector>

#include "bench/search/metric.hpp"

namespace bench {

/// The runs of one strategy over a space.
struct Curve {
  std::string strategy;
  std::vector<Trace> traces;
};

/// An SVG of the mean best so far, in per cent above the best of the space, against evaluations; random
/// search, which is exact, for comparison.
std::string curves_svg(const std::string& space, const Times& times, const std::vector<Curve>& curves);

}  // namespace bench
