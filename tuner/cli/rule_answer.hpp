#pragma once
#include <optional>
#include <string>

#include "db/best.hpp"
#include "reports/json.hpp"

namespace tuner::cli {

/// The answer for a size that was never measured, by the rule of `tuner cover --within 2%`.
struct RuleAnswer {
  db::BestAnswer answer;  ///< of the configuration that the rule picks, where it was measured nearest
  std::string why;        ///< what stands behind it, and what it may lose
  reports::Json bounds;   ///< see answers::bounds_json()
};

/// `nearest`: the answer that a query for one size gave. Nothing where no rule has a bound: too few sizes,
/// configurations that nobody tried, or more trials than are read for one answer.
std::optional<RuleAnswer> answer_by_rule(const db::Connection& connection, const db::BestAnswer& nearest,
                                         const db::BestQuery& query, const std::string& spec);

}  // namespace tuner::cli
