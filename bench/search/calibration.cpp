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
    if (run.forecasts.empty()) continue;
    const auto first = std::find_if(run.forecasts.begin(), run.forecasts.end(),
                                    [&](const Forecast& one) { return one.outlook.high < content_below; });
    const Forecast& end = first == run.forecasts.end() ? run.forecasts.back() : *first;
    sum.ended_after.push_back(end.evaluations);
    sum.left.push_back(end.true_gain);
  }
  std::sort(sum.ended_after.begin(), sum.ended_after.end());
  std::sort(sum.left.begin(), sum.left.end());
  const auto n = static_cast<double>(std::max<std::size_t>(1, sum.forecasts));
  sum.inside /= n;
  sum.above /= n;
  sum.expected /= n;
  sum.truth /= n;
  sum.wrongly_content /= static_cast<double>(std::max<std::size_t>(1, sum.content));
  return sum;
}

}  // namespace bench
