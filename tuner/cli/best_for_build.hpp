#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "reports/json.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/question.hpp"

namespace tuner::cli {

/// What `tuner best` is asked.
struct BestOptions : Question {
  std::string size;  ///< empty: every size
  std::string size_flag;
  std::string where;
  std::string program;  ///< a capture
  model::Objective objective = model::Objective::time;
  int top = 0;  ///< 0: the one to use alone
  bool nearest = false;
  bool common = false;  ///< of all sizes the one configuration that loses least
  std::string format = "table";

  bool is_for_build() const { return format != "table" && format != "json"; }
};

/// What the question finds.
struct FoundBest {
  db::BestAnswers answers;
  std::vector<answers::Missing> missing;  ///< sizes without an answer
  std::vector<db::Ranking> ranked;        ///< parallel; as far as they are shown
  std::vector<std::int64_t> left_out;     ///< parallel: trials behind those
  /// Parallel: why an answer is that of the rule for sizes that were never measured, and its bound; empty
  /// where it is none.
  std::vector<std::string> by_rule;
  std::vector<reports::Json> bounds;
};

/// Why the environment of an answer has none at the size that was asked for.
std::string unanswered(const FoundBest& found, const db::BestAnswer& answer);

/// The question that was asked, of the family that an answer is of.
Question question_of(const db::BestAnswer& answer, const BestOptions& options);

/// Writes what a build takes, in the format of `options`: of one answer, that of the size asked for or of a
/// rule with a bound, unless the nearest will do. Throws model::Error where there is none, or more than one.
void write_for_build(const db::Connection& connection, const config::Settings& settings,
                     const FoundBest& found, const db::BestQuery& query, const BestOptions& options);

}  // namespace tuner::cli
