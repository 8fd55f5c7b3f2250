#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "bench/search/laboratory.hpp"

namespace bench {

/// How what a strategy said of the rest compares with what was true.
struct Calibration {
  std::size_t forecasts = 0;
  double inside = 0;    ///< share whose interval held the true gain
  double above = 0;     ///< share whose true gain was beyond the interval
  double expected = 0;  ///< mean expected gain
  double truth = 0;     ///< mean true gain
  /// Of the forecasts whose interval ends below 1 %: how many, and how often more than 1 % was left.
  std::size_t content = 0;
  double wrongly_content = 0;
  /// At the first of those in each run, where `--until 1%` ends it; in a run without one, at its end.
  std::vector<std::size_t> ended_after;  ///< evaluations, ascending
  std::vector<double> left;              ///< true gain, ascending
};

Calibration calibrate(std::span<const Run> runs);

}  // namespace bench
