#include "tuner/cli/run_best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "db/best.hpp"
#include "db/queries.hpp"
#include "reports/numbers.hpp"
#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/answers/best_table.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::cli {
namespace {

/// The best of every problem of the sweep, in the sweep's own class.
std::vector<db::BestAnswer> best_answers(const sweep::Request& request, const db::Connection& connection) {
  std::vector<db::BestAnswer> found;
  for (const model::Problem& problem : problems_asked_for(request)) {
    db::TrialFilter filter;
    filter.problem = problem;
    filter.comparison_class = sweep::comparison_class(request, problem.type);
    for (db::BestAnswer& answer : db::best_of_each(connection, filter)) found.push_back(std::move(answer));
  }
  return found;
}

/// A kernel that was tuned on a problem where another is the best.
struct Beaten {
  const std::string* kernel = nullptr;
  const model::Problem* problem = nullptr;
};

std::vector<Beaten> beaten(const std::vector<db::BestAnswer>& best, const sweep::Request& request) {
  std::vector<Beaten> found;
  for (const sweep::Work& work : request.work) {
    const model::KernelSpec& spec = work.kernel.spec();
    if (!model::may_win(spec.role)) continue;
    for (const model::Problem& problem : work.problems) {
      const bool is_best = std::any_of(best.begin(), best.end(), [&](const db::BestAnswer& answer) {
        return answer.winner.kernel == spec.name && answer.winner.problem == problem;
      });
      if (!is_best) found.push_back({&spec.name, &problem});
    }
  }
  return found;
}

/// What became of a kernel all of whose trials were dropped early; empty where that is not so.
std::string dropped_text(const db::Connection& connection, db::TrialFilter filter) {
  filter.superseded = false;
  filter.status = model::TrialStatus::dropped;
  const std::vector<model::TrialRecord> dropped = db::trials(connection, filter);
  if (dropped.empty() || !dropped.front().outcome.measurement) return "";
  const model::TrialRecord& fastest = dropped.front();
  return fmt::format("{} at {}: dropped early, at best ~{} ({})", fastest.kernel, fastest.problem.text(),
                     reports::time_text(fastest.outcome.measurement->median_ns),
                     fastest.configuration.text());
}

void say_beaten(const std::vector<Beaten>& all, const sweep::Request& request,
                const db::Connection& connection) {
  std::vector<db::BestAnswer> best;
  std::vector<std::string> dropped;
  for (const Beaten& one : all) {
    db::TrialFilter filter;
    filter.kernel = *one.kernel;
    filter.problem = *one.problem;
    filter.comparison_class = sweep::comparison_class(request, one.problem->type);
    const std::vector<db::BestAnswer> answers = db::best_of_each(connection, filter);
    best.insert(best.end(), answers.begin(), answers.end());
    if (!answers.empty()) continue;
    if (const std::string text = dropped_text(connection, filter); !text.empty()) dropped.push_back(text);
  }
  if (best.empty() && dropped.empty()) return;
  write_out("\nthe best of the other kernels that were tuned:\n");
  if (!best.empty()) write_out(answers::best_text(best, AnswerStyle(connection).for_stdout()));
  for (const std::string& text : dropped) write_prose(text);
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

void say_best(const sweep::Request& request, const db::Connection& connection) {
  const std::vector<db::BestAnswer> best = best_answers(request, connection);
  write_out(answers::best_text(best, AnswerStyle(connection).for_stdout()));
  const std::vector<Beaten> others = beaten(best, request);
  // One's own kernel beside a better one is worth a look; a family at many sizes is a report.
  constexpr std::size_t most_shown = 12;
  if (others.size() <= most_shown)
    say_beaten(others, request, connection);
  else
    write_prose("`tuner best --kernel NAME` shows the best of each of the other kernels that were tuned");
}

}  // namespace tuner::cli
