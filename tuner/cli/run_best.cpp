#include "tuner/cli/run_best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "db/best.hpp"
#include "db/queries.hpp"
#include "reports/numbers.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/answers/best_table.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::cli {
namespace {

using Answers = std::vector<db::BestAnswer>;

/// Answers more than these are not shown again by a sweep that found nothing to do.
constexpr std::size_t few_sizes = 12;

/// The best of every problem of the sweep, in the sweep's own class.
Answers best_answers(const sweep::Request& request, const db::Connection& connection) {
  Answers found;
  for (const model::Problem& problem : problems_asked_for(request)) {
    db::TrialFilter filter;
    filter.problem = problem;
    filter.comparison_class = sweep::comparison_class(request, problem.type);
    for (db::BestAnswer& answer : db::best_of_each(connection, filter)) found.push_back(std::move(answer));
  }
  return found;
}

const db::BestAnswer* answer_of(const Answers& answers, const model::Problem& problem) {
  const auto found = std::find_if(answers.begin(), answers.end(), [&](const db::BestAnswer& answer) {
    return answer.winner.problem == problem;
  });
  return found == answers.end() ? nullptr : &*found;
}

std::string why_not_started(sweep::Ending ending) {
  if (ending == sweep::Ending::budget_spent) return "not started: the budget is spent";
  return ending == sweep::Ending::interrupted ? "not started: interrupted" : "not started";
}

/// Why a problem that was asked for has no answer.
std::string reason(const model::Problem& problem, const sweep::Request& request, const sweep::TrialList& list,
                   const sweep::Summary& summary, const db::Connection& connection) {
  const bool is_tuned = std::any_of(list.groups.begin(), list.groups.end(),
                                    [&](const sweep::Group& group) { return group.problem == problem; });
  if (!is_tuned) {
    const auto excluded =
        std::find_if(list.excluded.begin(), list.excluded.end(),
                     [&](const sweep::Exclusion& exclusion) { return exclusion.problem == problem; });
    return excluded == list.excluded.end() ? "left out" : "left out: " + excluded->reason;
  }
  db::TrialFilter filter;
  filter.problem = problem;
  filter.comparison_class = sweep::comparison_class(request, problem.type);
  filter.superseded = false;
  const std::int64_t tried = db::count_trials(connection, filter);
  if (tried == 0) return why_not_started(summary.ending);
  return fmt::format("no trial that may be used: {} of them so far", tried);
}

/// The problems without an answer, those with the same reason together.
std::string missing_text(const Answers& best, const sweep::Request& request, const sweep::TrialList& list,
                         const sweep::Summary& summary, const db::Connection& connection) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;  // reason, problems
  std::string family;
  for (const model::Problem& problem : problems_asked_for(request)) {
    if (answer_of(best, problem) != nullptr) continue;
    const std::string why = reason(problem, request, list, summary, connection);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& one) { return one.first == why; });
    if (line == lines.end()) line = lines.insert(lines.end(), {why, {}});
    const bool repeats = !line->second.empty() && problem.family == family;
    line->second.push_back((repeats ? "" : problem.family + ' ') + answers::size_label(problem));
    family = problem.family;
  }
  std::string text;
  for (const auto& [why, problems] : lines) text += fmt::format("{}: {}\n", fmt::join(problems, ", "), why);
  return text;
}

/// What a kernel does beside the best of all.
struct Behind {
  std::size_t sizes = 0;    ///< that it was to be tuned at
  std::size_t behind = 0;   ///< another is faster
  std::size_t unknown = 0;  ///< it has no time
  double least = 0;         ///< its time by the best one's, where that is least and most
  double most = 0;
  db::BestAnswer closest;
};

Behind behind(const sweep::Work& work, const Answers& best, const sweep::Request& request,
              const db::Connection& connection) {
  db::TrialFilter filter;
  filter.family = work.kernel.spec().family;
  filter.kernel = work.kernel.spec().name;
  filter.comparison_class = sweep::comparison_class(request, work.problems.front().type);
  const Answers own = db::best_of_each(connection, filter);
  Behind found;
  for (const model::Problem& problem : work.problems) {
    const db::BestAnswer* const fastest = answer_of(best, problem);
    if (fastest == nullptr) continue;
    ++found.sizes;
    if (fastest->winner.kernel == filter.kernel) continue;
    ++found.behind;
    const db::BestAnswer* const answer = answer_of(own, problem);
    if (answer == nullptr || !answer->winner.outcome.measurement) {
      ++found.unknown;
      continue;
    }
    const double ratio =
        answer->winner.outcome.measurement->median_ns / fastest->winner.outcome.measurement->median_ns;
    if (found.least == 0 || ratio < found.least) {
      found.least = ratio;
      found.closest = *answer;
    }
    found.most = std::max(found.most, ratio);
  }
  return found;
}

std::string range_text(const Behind& one) {
  const std::string least = reports::ratio_text(one.least);
  const std::string most = reports::ratio_text(one.most);
  return least == most ? least : least + " to " + most;
}

/// The kernels that another one beats, a line for each.
void say_beaten(const Answers& best, const sweep::Request& request, const answers::Style& style,
                const db::Connection& connection) {
  using reports::Align;
  reports::Table table({{"kernel"},
                        {"behind at"},
                        {"no time at", Align::right},
                        {"time / best", Align::right},
                        {"closest at", Align::right},
                        {"its time there", Align::right, false, 1},
                        {"trial", Align::left, false, 2}});
  for (const sweep::Work& work : request.work) {
    if (!model::may_win(work.kernel.spec().role) || work.problems.empty()) continue;
    const Behind one = behind(work, best, request, connection);
    if (one.behind == 0) continue;
    std::vector<std::string> row = {work.kernel.spec().name,
                                    fmt::format("{} of {} sizes", one.behind, one.sizes),
                                    one.unknown == 0 ? "" : fmt::format("{}", one.unknown)};
    if (one.least == 0) {
      table.add_row(std::move(row));
      continue;
    }
    const model::TrialRecord& winner = one.closest.winner;
    const std::string mark = reports::is_approximate(winner) ? "~" : "";
    row.insert(row.end(),
               {mark + range_text(one), answers::size_label(winner.problem),
                mark + reports::time_text(winner.outcome.measurement->median_ns), style.id(winner.key)});
    table.add_row(std::move(row));
  }
  if (table.empty()) return;
  write_out("\nthe other kernels that were tuned:\n" + table.fitted(style.columns));
  write_prose("`tuner best SIZE --kernel NAME` shows the best of one");
}

}  // namespace

std::vector<model::Problem> problems_asked_for(const sweep::Request& request) {
  std::vector<model::Problem> problems;
  for (const sweep::Work& work : request.work) {
    for (const model::Problem& problem : work.problems) {
      if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
    }
  }
  return problems;
}

void say_best(const sweep::Request& request, const sweep::TrialList& list, const sweep::Summary& summary,
              const db::Connection& connection) {
  const Answers best = best_answers(request, connection);
  AnswerStyle styles(connection);
  const answers::Style style = styles.for_stdout();
  const bool found_nothing_to_do = summary.finished == 0 && summary.finals == 0;
  if (found_nothing_to_do && best.size() > few_sizes) {
    write_prose(fmt::format("nothing new; `tuner best` shows the best of these {} sizes", best.size()));
  } else {
    write_out(answers::best_text(best, style));
  }
  if (const std::string missing = missing_text(best, request, list, summary, connection); !missing.empty())
    write_prose(missing);
  if (!found_nothing_to_do || best.size() <= few_sizes) say_beaten(best, request, style, connection);
}

}  // namespace tuner::cli
