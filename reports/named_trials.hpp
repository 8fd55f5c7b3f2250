#pragma once
#include <set>
#include <vector>

#include "db/best.hpp"
#include "reports/summary.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/trial.hpp"

namespace reports {

/// Takes the trials of a report one by one and keeps those that it names; it counts the others. Those of one
/// kernel, problem and environment come one after the other.
class NamedTrials {
 public:
  enum class Where {
    problems,  ///< what a ProblemSummary and a FailureSummary name
    tables,    ///< and what a cell of the standard report's tables does
    anywhere   ///< all
  };
  NamedTrials(const db::BestAnswers& answers, Where where);
  void add(model::TrialRecord trial);
  /// Moves them to the input.
  void finish(ReportInput& input);

 private:
  void settle();
  Tally& unnamed_like(const model::TrialRecord& trial);

  Where m_where;
  std::set<model::Digest> m_asked_for;
  std::vector<model::TrialRecord> m_kept;
  std::vector<model::TrialRecord> m_last;  ///< those of the last kernel, problem and environment
  std::vector<Unnamed> m_unnamed;
};

}  // namespace reports
