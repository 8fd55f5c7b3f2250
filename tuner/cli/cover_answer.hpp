#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "reports/json.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/chosen_race.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cover/cover.hpp"

namespace tuner::cli {

/// Which results are covered, and how well.
struct CoverQuestion : Question {
  std::string within;  ///< a loss: `2%`; empty: that
  int at_most = 0;     ///< instead: so many configurations; 0: not said
};

template <typename Options>
void add_cover_question(Command<Options>& command, CoverQuestion& question) {
  add_question(command, question);
  command.option("--within", question.within, "LOSS",
                 "the smallest set that loses at most this at every measured size; default 2%");
  command.count("--at-most", question.at_most, "instead: the set of at most N that loses least");
  command.apart("--within", "--at-most",
                "give the loss, and the set is as small as it can be; or give the number");
}

/// Throws model::UsageError where `within` is no loss.
cover::Goal goal_of(const CoverQuestion& question);

/// The specs that say where the kernels of a family may run, and the limits of the device that they were
/// measured on.
struct KernelsAtHand {
  std::map<std::string, space::KernelSpace> spaces;  ///< by kernel; only what is still what was measured
  model::DeviceInfo device;                          ///< nothing but its name where no run was on it
  /// Throws model::Error where it is not there; `does` is what goes on with another kernel alone, as `covers
  /// by`.
  const space::KernelSpace& of(const std::string& kernel, const char* does = "covers by") const;
  /// Throws model::Error where the kernel's spec is not what this configuration was measured with at one of
  /// the sizes.
  void require_described(const answers::CoverTable& table, std::size_t configuration) const;
};
KernelsAtHand kernels_at_hand(const db::Connection& connection, const answers::CoverTable& table,
                              const std::string& spec);

/// How the runs of `tuner cover --check` are recorded.
inline constexpr const char* check_strategy = "check";

/// The answers that covers may be made from. What a check alone has measured is none of them: few
/// configurations raced there, and they stay sizes that no cover was made for.
db::BestAnswers answers_to_cover(const db::Connection& connection, const db::BestQuery& query);

/// Throws model::UsageError where kernels of a family have other sizes: there is no one answer.
void require_one_kind(const db::BestAnswers& all);

/// Throws model::UsageError that names the choices where the cases are of several families or row paddings.
void require_one_family(const std::vector<db::Case>& all);

/// Those of `all` that a cover is made from: of one family, type, padding and environment, by size. Throws
/// model::UsageError that names the choices where nothing decides.
answers::Chosen of_one_environment(const db::BestAnswers& all);

/// The table of these answers, with what specs exclude.
answers::CoverTable load_cover_table(const db::Connection& connection, const answers::Chosen& answers,
                                     const db::BestQuery& query, const std::string& spec);

/// One C++17 header of a cover: its configurations, the rule, and the launches. Throws model::Error where the
/// spec of a configuration is not at hand as it was measured.
std::string cover_header(const db::Connection& connection, const answers::CoverAnswer& answer,
                         const std::string& spec);

/// The cover of a table, and what it loses elsewhere.
answers::CoverAnswer make_cover(answers::CoverTable table, const cover::Goal& goal);

/// The answer for a size that was never measured, by the rule of `tuner cover --within 2%`.
struct RuleAnswer {
  db::BestAnswer answer;  ///< of the configuration that the rule picks, where it was measured nearest
  std::string why;        ///< what stands behind it, and what it may lose
  reports::Json bounds;   ///< see answers::bounds_json()
};

/// `nearest`: the answer that a query for one size gave. Nothing where no rule has a bound: too few sizes,
/// configurations that were not tried, or more trials than are read for one answer.
std::optional<RuleAnswer> answer_by_rule(const db::Connection& connection, const db::BestAnswer& nearest,
                                         const db::BestQuery& query, const std::string& spec);

/// Where the spec of its winner excludes that at the size asked for: the best of the nearest size's trials
/// that specs allow there, without a bound. Nothing where the winner may be run.
std::optional<RuleAnswer> answer_allowed(const db::Connection& connection, const db::BestAnswer& nearest,
                                         const db::BestQuery& query, const std::string& spec);

/// How a cover is checked at sizes that were never measured.
struct CoverCheckOptions {
  int sizes = 0;                 ///< so many; 0: not at all
  std::int64_t multiple_of = 0;  ///< instead of what divides all measured sizes; 0: that
  int search = 32;               ///< configurations that race at each
};

/// Draws sizes and races there what the rule picks, the defaults, the rest of the cover, and what did best at
/// the nearest sizes. Throws model::Error where the kernels are not at hand as they were measured, or there
/// is no size to draw.
answers::CoverCheck check_cover(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand,
                                const CoverCheckOptions& options, std::uint64_t seed, ChosenRace& race);

}  // namespace tuner::cli
