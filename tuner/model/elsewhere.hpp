#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/comparison_class.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/problem.hpp"
#include "tuner/model/trial_status.hpp"

namespace tuner::model {

/// A problem in a class, the trials of which are compared.
struct ContestName {
  Problem problem;
  ComparisonClass comparison_class;
  bool operator==(const ContestName&) const = default;
};

/// What some kernels did on another problem or in another class, or before their specs were edited. Of many
/// trials the fastest, and an even sample of the others.
struct Elsewhere {
  struct Known {
    std::string kernel;
    std::shared_ptr<const Configuration> configuration;  ///< one for all that have it; names in any order
    TrialStatus status = TrialStatus::ok;
    std::optional<double> median_ns;  ///< of ok and dropped ones
  };
  ContestName contest;
  bool is_today = true;  ///< of what today's specs describe; else of what they were
  std::vector<Known> results;
};

/// What is wanted: near `contest`, of these kernels, and of none of the contests `except`, as far as today's
/// specs describe it; what they were before counts everywhere.
struct ElsewhereQuery {
  ContestName contest;
  std::vector<std::string> kernels;
  std::vector<ContestName> except;
};

}  // namespace tuner::model
