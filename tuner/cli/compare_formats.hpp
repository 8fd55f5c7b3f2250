#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/compare_sides.hpp"
#include "tuner/measure/sampler.hpp"

namespace tuner::cli {

/// What --fail-if-slower finds.
struct Limit {
  double share = 0;                          ///< 0.01: A may be one per cent slower
  std::vector<measure::Slowdown> slowdowns;  ///< parallel to the comparisons
  bool any_slower() const;
};
Limit judge(const std::vector<Compared>& compared, double share);

/// Two trials in a sentence: which is faster, by how much, and how that is known.
std::string verdict_text(const Compared& compared, std::size_t columns);
/// What is surely too slow, what is undecided, and how many are surely fast enough.
std::string limit_text(const std::vector<Compared>& compared, const Limit& limit, std::size_t columns);
/// Two sides: a table for each family and environment, the changes of configuration, the summary, and in a
/// line each what only one of them has and how far their environments differ.
std::string compare_text(const ComparedSides& sides, const std::optional<Limit>& limit, std::size_t columns);

/// `{"schema_version": 2, "comparisons": […], "summary": {…}, "only_a": […], "only_b": […]}`; times in
/// nanoseconds, ratios of A by B; with a limit `"limit": {"share", "slower", "undecided"}`.
std::string compare_json(const ComparedSides& sides, const std::optional<Limit>& limit);

}  // namespace tuner::cli
