#pragma once
#include <string>
#include <vector>

#include "reports/json.hpp"
#include "tuner/cli/answers/cover_table.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/cover/cover.hpp"
#include "tuner/cover/estimate.hpp"

namespace tuner::cli::answers {

/// A cover with what it was made from and what is known of it.
struct CoverAnswer {
  CoverTable table;
  cover::Goal goal;
  cover::Cover cover;
  cover::Estimate estimate;
};

/// Of each configuration of the table: `A`, `B`, … for those of the cover in their order, empty for others.
std::vector<std::string> letters(const CoverAnswer& answer);

/// `at most 5.8 % at 9 of 10, 2.4 % at 4 of 5 sizes that lie like these, each with 95 % confidence`; where
/// nothing can be said, why.
std::string bound_text(const CoverAnswer& answer);

/// For a terminal: the configurations, the rule, what is lost at measured sizes, by the default alone, and at
/// other sizes.
std::string cover_text(const CoverAnswer& answer, const Style& style);
std::string cover_json(const CoverAnswer& answer);
/// What a generated file says at its head: what it was made from, and what it loses.
std::vector<std::string> cover_remarks(const CoverAnswer& answer);
/// The rule as JSON: `{"if": "M <= 1470", "then": …, "else": …}` down to `"A"`.
reports::Json rule_json(const CoverAnswer& answer);
/// A list, the largest share first; `loss` is null where too much is unknown.
reports::Json bounds_json(const std::vector<cover::Bound>& bounds);

}  // namespace tuner::cli::answers
