#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/best.hpp"
#include "reports/json.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/cover/cover.hpp"
#include "tuner/cover/rule.hpp"
#include "tuner/cover/table.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::cli::answers {

/// A trial of a table, as it was measured.
struct CoverTrial {
  model::Digest key;  ///< empty: none with a time
  double median_ns = 0;
  bool includes_launch_latency = false;
};

/// The times of one family in one environment, as a cover is made from them. Configurations that another
/// makes superfluous are left out, but for defaults.
struct CoverTable {
  cover::Table times;           ///< by the answer's time, by which its trials lose
  std::vector<db::Case> cases;  ///< of the sizes
  /// A trial of each configuration, for its kernel and values; `is_default` counts, its figures do not.
  std::vector<model::TrialRecord> configurations;
  std::vector<std::vector<CoverTrial>> trials;  ///< by size, then configuration
  std::size_t tried = 0;                        ///< configurations, before any was left out
  /// Size and configuration: it may run there, and the spec says that it is not worth trying.
  std::set<std::pair<std::size_t, std::size_t>> slow;
  /// ` --family matmul --device cpu`: what makes a command ask and measure the same.
  std::string flags = {};
};

/// In the order of the problem's dimensions.
cover::Sizes sizes_of(const model::Problem& problem);

/// Of answers at different sizes of one family in one environment. Times are by the final where the trial was
/// in it, else by the race, relative to the answer's. `query` names the kernel, where it names one.
CoverTable cover_table(const db::Connection& connection, const Chosen& answers, const db::BestQuery& query);

/// What is best somewhere and has no time elsewhere.
struct Gap {
  std::size_t size = 0;
  std::size_t configuration = 0;
};

/// Of the defaults and the `each` fastest of every size: where no time of theirs is known and a spec says
/// that they are worth trying, or where they were dropped early and may yet be within twice the goal (of a
/// number: within 10 %). By size, then in the order of the sizes where they are best.
std::vector<Gap> gaps(const CoverTable& table, const cover::Goal& goal, std::size_t each);

/// Marks where a spec keeps a configuration from being run, or says that it is not worth trying: `spaces` by
/// kernel, each of the definition that was measured.
void mark_excluded(const std::map<std::string, space::KernelSpace>& spaces, const model::DeviceLimits& limits,
                   CoverTable& table);

/// Whether a configuration may run at `problem`, as far as a spec says; without one nothing is known against
/// it.
bool may_run(const std::map<std::string, space::KernelSpace>& spaces, const model::DeviceLimits& limits,
             const model::TrialRecord& configuration, const model::Problem& problem);

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

/// Null where it is infinite.
reports::Json number_json(double loss);
/// `2 %`, `0.31 %`: what is lost is said to a hundredth of a percent; `unknown` where it is infinite.
std::string loss_text(double loss);
/// `9 of 10`.
std::string case_share_text(double share);
/// `at most 2.4 % at 9 of 10, 1.1 % at 4 of 5`; of the largest share with a bound on.
std::string bounds_text(const std::vector<cover::Bound>& bounds);

/// For a terminal: the configurations, the rule, what is lost at measured sizes, by the default alone, and at
/// other sizes.
std::string cover_text(const CoverAnswer& answer, const Style& style);
/// `check`: for its key; null: there is none.
std::string cover_json(const CoverAnswer& answer, const reports::Json& check = nullptr);
/// What a generated file says at its head: what it was made from, and what it loses.
std::vector<std::string> cover_remarks(const CoverAnswer& answer);
/// What a cover of one configuration loses at each size.
reports::Table losses_of_common(const CoverAnswer& answer);
/// The rule as JSON: `{"if": "M <= 1470", "then": …, "else": …}` down to `"A"`.
reports::Json rule_json(const CoverAnswer& answer);
/// A list, the largest share first; `loss` is null where too much is unknown.
reports::Json bounds_json(const std::vector<cover::Bound>& bounds);

/// A size that was measured to see whether a cover holds there.
struct CheckedSize {
  model::Problem problem;
  std::optional<std::size_t> picked;       ///< by the rule, in the cover's table; nothing: none may run
  std::size_t chosen = 0;                  ///< configurations that are to race
  std::size_t tried = 0;                   ///< … and have raced, whichever way they ended
  std::optional<model::TrialRecord> best;  ///< of those; nothing: none has a time
  /// Against the best; infinite where it has no time.
  double loss = std::numeric_limits<double>::infinity();
  /// The lower end of its 95 % interval, where pick and best were sampled in turn; else the same. What cannot
  /// be told from a loss within a bound is no reason to refute it.
  double loss_low = std::numeric_limits<double>::infinity();
  bool is_approximate = false;  ///< the pick was dropped early: it loses about so much
  double default_loss = std::numeric_limits<double>::infinity();  ///< of the best of the defaults
};

struct CoverCheck {
  std::uint64_t seed = 0;
  std::size_t asked = 0;
  std::size_t drawn = 0;             ///< fewer where there are no more
  cover::Sizes multiple;             ///< by dimension
  bool is_of_all = true;             ///< it divides all measured sizes, so that a bound speaks of these
  std::vector<CheckedSize> sizes{};  ///< that were reached
};

/// Whether a stated bound is refuted by these sizes.
bool is_refuted(const CoverAnswer& answer, const CoverCheck& check);

/// For a terminal: each size, each bound of the cover, and what these sizes say by themselves.
std::string check_text(const CoverAnswer& answer, const CoverCheck& check, const Style& style);
/// The same, for the key `check` of cover_json().
reports::Json check_json(const CoverAnswer& answer, const CoverCheck& check);

}  // namespace tuner::cli::answers
