#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/explain/explain.hpp"
#include "tuner/model/case.hpp"

namespace tuner::cli::answers {

/// What happens where one parameter of the winner has another value.
struct OneChange {
  std::string parameter;
  model::Value from;
  model::Value to;
  const model::TrialRecord* trial = nullptr;
  double ratio = 0;      ///< its time by the winner's; 0: it has none
  bool in_turn = false;  ///< the two were sampled in turn, in the answer's final
  bool is_tied = false;  ///< and cannot be told apart
};

/// What is recorded of a case that bears on why its winner won. Pointers point into the trials given.
struct Evidence {
  std::vector<OneChange> timed;   ///< the nearest rival of each parameter, the costliest change first
  std::vector<OneChange> failed;  ///< neighbours that cannot run, as unlaunchable ones
};

/// `trials`: of the answer's case, whatever became of them.
Evidence evidence(const db::BestAnswer& answer, const std::vector<model::TrialRecord>& trials);

/// A line for each finding, the strongest first; nothing where there is none.
std::vector<std::string> evidence_lines(const Evidence& evidence, const Style& style);

/// From so many times on a ratio is no percentage: `44.6× slower`.
inline constexpr double most_in_percent = 10;

/// `7.0 % slower`, `1.2 % faster`, with `~` where the two were not sampled in turn.
std::string difference_text(double ratio, bool in_turn);

/// Why the winner of an answer is as fast as it is.
struct Explanation {
  const db::BestAnswer* answer = nullptr;
  std::vector<explain::Finding> findings;
  std::string without;        ///< why no machine code was read; may be empty
  bool names_device = false;  ///< where others may be meant
};

/// For a terminal: what binds it, what the runner-up lacks, which parameters decide, what to try next.
std::string explanation_text(const Explanation& explanation, const Style& style);

/// `{"schema_version": 1, "explanations": [{…, "environment", "kernel", "trial", "findings": […]}]}`.
std::string explanations_json(const std::vector<Explanation>& explanations);

/// What each value of a parameter costs: at each size, the best known configuration with it against the best
/// with any.
struct ParameterEffect {
  /// The best with a value at a size.
  struct Least {
    double loss = 0;              ///< 0.02 is 2 %
    bool is_approximate = false;  ///< the trial was dropped early: it loses about this
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
