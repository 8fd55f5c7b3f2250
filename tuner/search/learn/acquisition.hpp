#pragma once
#include <cstddef>
#include <functional>
#include <optional>

#include "tuner/search/learn/facts.hpp"
#include "tuner/search/learn/model.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {

/// How a model's proposal is chosen.
struct Ambition {
  /// Absent: the expected improvement for what compiling costs. Else the lower confidence bound, as many
  /// deviations below the mean.
  std::optional<double> deviations;
  /// Where there is one: of which candidates alone.
  std::function<bool(std::size_t candidate)> among = {};
};

/// The open candidate that the opinions together find most worth trying, as an index into model.covered();
/// nothing where none of those is open.
std::optional<std::size_t> most_promising(const Model& model, const OpenCandidates& open,
                                          double best_log_time, const CompileCosts& costs,
                                          const Ambition& ambition);

/// How likely the likeliest of these is to work; 0 where none of them is open.
double likeliest(const Model& model, const OpenCandidates& open,
                 const std::function<bool(std::size_t candidate)>& among = {});

}  // namespace tuner::search::learn
