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

/// Two trials: who they are, and a sentence.
std::string compare_text(const Compared& compared);
/// Two sides: a table for each class, the summary, and what only one has.
std::string compare_text(const ComparedSides& sides);

/// `{"schema_version": 1, "comparisons": […], "summary": {…}, "only_a": […], "only_b": […]}`; times in
/// nanoseconds, ratios of A by B.
std::string compare_json(const ComparedSides& sides);

}  // namespace tuner::cli
