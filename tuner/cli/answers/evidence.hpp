#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/explain/explain.hpp"

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

}  // namespace tuner::cli::answers
