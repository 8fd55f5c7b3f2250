#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/model/case.hpp"

namespace tuner::cli::answers {

/// What each value of a parameter costs: at each size, the best known configuration with it against the best
/// with any.
struct ParameterEffect {
  /// The best with a value at a size.
  struct Least {
    double loss = 0;              ///< 0.02 is 2 %
    bool is_approximate = false;  ///< all with this value were dropped early: it loses about this
    model::TrialRecord trial;
    std::int64_t trials = 0;  ///< with the value that have a time, dropped ones included
  };
  struct Size {
    model::Problem problem;
    std::vector<std::optional<Least>> least;  ///< of each value; none: nothing with it has a time
  };
  std::string parameter;
  model::Environment environment;
  std::vector<model::Value> values;  ///< ascending; words in the order in which they were met
  std::vector<Size> sizes;
};

/// Of answers at different sizes of one environment, with the ranking of each. Without sizes where no trial
/// has the parameter.
ParameterEffect parameter_effect(const std::string& parameter, const Chosen& answers,
                                 const std::vector<db::Ranking>& rankings);

/// Names of the parameters of all these trials.
std::vector<std::string> parameter_names(const std::vector<db::Ranking>& rankings);

/// For a terminal: a line for each value over all sizes, then a line for each size.
std::string effect_text(const ParameterEffect& effect, const Style& style);
/// `{"schema_version": 1, "parameter", "environment", "values": […], "sizes": [{…, "values": […]}]}`.
std::string effect_json(const ParameterEffect& effect);

}  // namespace tuner::cli::answers
