#include "tuner/cli/rule_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "db/queries.hpp"
#include "tuner/cli/answers/cover_formats.hpp"
#include "tuner/cli/answers/cover_table.hpp"
#include "tuner/cli/cover_answer.hpp"

namespace tuner::cli {
namespace {

/// Reading so many takes about a second.
constexpr std::int64_t most_trials_read = 20'000;

model::Problem asked_problem(const model::Problem& measured, const std::vector<std::int64_t>& sizes) {
  model::Problem problem = measured;
  for (std::size_t i = 0; i < problem.sizes.size(); ++i)
    problem.sizes[i].value = sizes.size() == 1 ? sizes.front() : sizes[i];
  return problem;
}

/// The size of the table nearest to `problem` at which the configuration has a time.
std::size_t nearest_size(const answers::CoverTable& table, std::size_t configuration,
                         const model::Problem& problem) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t size = 0; size < table.cases.size(); ++size) {
    const double away = model::distance(table.cases[size].problem, problem);
    if (table.trials[size][configuration].empty() || away >= least) continue;
    least = away;
    best = size;
  }
  return best;
}

/// The answer of a size with another trial as the one to use; what was said of its winner is then left out.
db::BestAnswer with_trial(const db::Connection& connection, db::BestAnswer answer,
                          const model::Digest& trial) {
  if (answer.winner.key == trial) return answer;
  answer.winner = *db::find_trial(connection, trial);
  const bool in_final = answer.final && model::entry_of(*answer.final, trial) != nullptr;
  if (!in_final) answer.final.reset();
  answer.check = {};
  answer.tied.clear();
  answer.tied_count = 0;
  answer.dropped_near = 0;
  answer.newcomers.clear();
  return answer;
}

}  // namespace

std::optional<RuleAnswer> answer_by_rule(const db::Connection& connection, const db::BestAnswer& nearest,
                                         const db::BestQuery& query, const std::string& spec) {
  const db::Case& first = nearest.tuning_case;
  db::BestQuery every = query;
  every.family = first.problem.family;
  every.sizes.clear();
  every.type = first.problem.type;
  std::vector<db::BestAnswer> all = db::best(connection, every);
  std::erase_if(all, [&](const db::BestAnswer& one) {
    return !(one.tuning_case.environment == first.environment) ||
           one.tuning_case.problem.row_padding != first.problem.row_padding;
  });
  std::vector<const db::BestAnswer*> answers;
  std::int64_t trials = 0;
  for (const db::BestAnswer& one : all) {
    answers.push_back(&one);
    trials += one.tuning_case.trials();
  }
  if (trials > most_trials_read) return std::nullopt;
  answers::CoverTable table = load_cover_table(connection, answers, every, spec);
  const KernelsAtHand at_hand = kernels_at_hand(connection, table, spec);
  const answers::CoverAnswer made = make_cover(std::move(table), cover::Goal{});
  if (cover::largest_known(made.estimate.between) == nullptr) return std::nullopt;
  const model::Problem problem = asked_problem(first.problem, query.sizes);
  cover::Sizes sizes;
  for (const model::Dimension& dimension : problem.sizes) sizes.push_back(dimension.value);
  const auto picked = made.cover.rule.pick(sizes, [&](std::size_t one) {
    return answers::may_run(at_hand.spaces, at_hand.device.limits, made.table.configurations[one], problem);
  });
  if (!picked) return std::nullopt;
  const std::size_t size = nearest_size(made.table, *picked, problem);
  RuleAnswer answer{with_trial(connection, all[size], made.table.trials[size][*picked]), "", {}};
  answer.answer.exact = false;
  answer.answer.distance = model::distance(made.table.cases[size].problem, problem);
  answer.answer.wanted_device = nearest.wanted_device;
  answer.why = fmt::format(
      "size {} was never measured here; the rule of `tuner cover` over {} sizes picks this, "
      "shown as measured at {}: it loses {}{}",
      problem.size_text(), made.table.cases.size(), made.table.cases[size].problem.size_text(),
      answers::bound_text(made), query.same_bits ? "; nobody has compared its bits at this size" : "");
  answer.bounds = answers::bounds_json(made.estimate.between);
  return answer;
}

}  // namespace tuner::cli
