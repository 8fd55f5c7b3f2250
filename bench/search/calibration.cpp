#include "bench/search/calibration.hpp"

#include <algorithm>

namespace bench {

Calibration calibrate(std::span<const Run> runs) {
  constexpr double content_below = 0.01;
  Calibration sum;
  for (const Run& run : runs) {
    for (const Forecast& one : run.forecasts) {
      constexpr double rounding = 1e-9;
      ++sum.forecasts;
      sum.inside +=
          one.true_gain >= one.outlook.low - rounding && one.true_gain <= one.outlook.high + rounding;
      sum.above += one.true_gain > one.outlook.high + rounding;
      sum.expected += one.outlook.gain;
      sum.truth += one.true_gain;
      if (one.outlook.high >= content_below) continue;
      ++sum.content;
      sum.wrongly_content += one.true_gain > content_below;
    }
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, sum.forecasts));
  sum.inside /= n;
  sum.above /= n;
  sum.expected /= n;
  sum.truth /= n;
  sum.wrongly_content /= static_cast<double>(std::max<std::size_t>(1, sum.content));
  return sum;
}

}  // namespace bench
