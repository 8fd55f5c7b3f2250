#pragma once
#include <string>

#include "tuner/cli/compare_sides.hpp"

namespace tuner::cli {

/// How the comparisons of two sides ended, all problems together.
struct CompareSummary {
  int faster = 0;  ///< at so many problems A is
  int slower = 0;
  int tied = 0;
  double mean_ratio = 1;  ///< geometric mean of the ratios; 1 where there are none
};
CompareSummary summary_of(const ComparedSides& sides);

/// Two trials in a sentence: which is faster, by how much, and how that is known.
std::string verdict_text(const Compared& compared, std::size_t columns);
/// Two sides: a table for each class, the summary, and what only one has.
std::string compare_text(const ComparedSides& sides, std::size_t columns);

/// `{"schema_version": 1, "comparisons": […], "summary": {…}, "only_a": […], "only_b": […]}`; times in
/// nanoseconds, ratios of A by B.
std::string compare_json(const ComparedSides& sides);

}  // namespace tuner::cli
