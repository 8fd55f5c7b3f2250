#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/queries.hpp"
#include "db/statement.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/run_record.hpp"

namespace db {

/// What is worth a word beside the best: it would be in the next final (model::FinalPolicy::within).
constexpr double near_the_best = 1.1;

/// Trials that were dropped early, for somebody who is not that much faster any more: edited, forgotten,
/// found wrong, or outside of the question. How fast they are is unknown.
class ReopenedFinder {
 public:
  explicit ReopenedFinder(const Connection& db);

  /// Those of a case whose time is at most `within` times the least that any who competes ever had there,
  /// fastest first. Of `kernel` alone, and beside those of `beside` alone, where one is named.
  std::vector<tuner::model::Digest> find(const tuner::model::Digest& tuning_case, double within,
                                         const std::string& kernel = "", const std::string& beside = "");

 private:
  Statement m_select;
};

/// Every search of the cases that `filter` selects (its family, device, class and problem count), in an
/// order that depends on the searches alone.
std::vector<tuner::model::SearchRecord> searches(const Connection& db, const TrialFilter& filter = {});

/// How far cases have been searched.
class SearchFinder {
 public:
  explicit SearchFinder(const Connection& db);

  /// Of the kernels that a search covered and whose spec is still what it was then, or of `kernel` alone
  /// where one is named; nothing where there is none. What has been tried is counted among the trials:
  /// searches overlap, and what they tried may be forgotten. What was dropped for somebody who is no longer
  /// that fast counts as not tried. An outlook speaks for as long as all these
  /// kernels are those it was made of, and no trial that it knew is gone.
  std::optional<tuner::model::Searched> searched(const tuner::model::Digest& tuning_case,
                                                 const std::string& kernel);

  /// Configurations, of `kernel` alone where one is named, that were tried, or passed over by a search that
  /// ended by itself: because nothing was left, or because what was left was not expected to give enough.
  std::int64_t settled(const tuner::model::Digest& tuning_case, const std::string& kernel);

 private:
  Statement m_parts, m_tried, m_outlooks, m_settled;
  ReopenedFinder m_reopened;
};

}  // namespace db
