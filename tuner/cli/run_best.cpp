#include "tuner/cli/run_best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "db/best.hpp"
#include "db/queries.hpp"
#include "reports/numbers.hpp"
#include "tuner/cli/best_table.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::cli {
namespace {

/// The best of every problem of the sweep, in the sweep's own class.
std::vector<db::BestAnswer> answers(const sweep::Request& request, const db::Connection& connection) {
  std::vector<db::BestAnswer> found;
  for (const model::Problem& problem : problems_asked_for(request)) {
    db::TrialFilter filter;
    filter.problem = problem;
    filter.comparison_class = sweep::comparison_class(request, problem.type);
    for (db::BestAnswer& answer : db::best_of_each(connection, filter)) found.push_back(std::move(answer));
  }
  return found;
}

/// What the other kernels of the sweep reached where one of them is the best of all.
struct Others {
  std::vector<db::BestAnswer> best;
  std::string dropped;  ///< a line for each kernel and problem of which all trials were dropped early
};

Others others_than(const std::vector<db::BestAnswer>& best, const sweep::Request& request,
                   const db::Connection& connection) {
  Others others;
  const auto add = [&](const std::string& kernel, const model::Problem& problem) {
    db::TrialFilter filter;
    filter.kernel = kernel;
    filter.problem = problem;
    filter.comparison_class = sweep::comparison_class(request, problem.type);
    const std::size_t before = others.best.size();
    for (db::BestAnswer& answer : db::best_of_each(connection, filter))
      others.best.push_back(std::move(answer));
    if (others.best.size() > before) return;
    filter.superseded = false;
    filter.status = model::TrialStatus::dropped;
    const std::vector<model::TrialRecord> dropped = db::trials(connection, filter);
    if (dropped.empty() || !dropped.front().outcome.measurement) return;
    others.dropped += fmt::format("{} at {}: dropped early, at best ~{} ({})\n", kernel, problem.text(),
                                  reports::time_text(dropped.front().outcome.measurement->median_ns),
                                  dropped.front().configuration.text());
  };
  for (const sweep::Work& work : request.work) {
    const model::KernelSpec& spec = work.kernel.spec();
    if (!model::may_win(spec.role)) continue;
    for (const model::Problem& problem : work.problems) {
      const bool is_best = std::any_of(best.begin(), best.end(), [&](const db::BestAnswer& answer) {
        return answer.winner.kernel == spec.name && answer.winner.problem == problem;
      });
      if (!is_best) add(spec.name, problem);
    }
  }
  return others;
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
  const std::vector<db::BestAnswer> best = answers(request, connection);
  write_out(best_text(best));
  const Others others = others_than(best, request, connection);
  if (others.best.empty() && others.dropped.empty()) return;
  write_out("\nthe best of the other kernels that were tuned:\n");
  if (!others.best.empty()) write_out(best_text(others.best));
  write_out(others.dropped);
}

}  // namespace tuner::cli
