#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "db/queries.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"

namespace tuner::cli::answers {
namespace {

using db::BestAnswer;
using db::Ranked;

/// Whether two environments differ in how times are taken alone: in what runs between launches, or in how
/// these follow each other.
bool differ_in_taking(const model::Environment& a, const model::Environment& b) {
  model::Environment alike = b;
  alike.l2 = a.l2;
  alike.execution = a.execution;
  return a == alike && a != b;
}

/// Of its time by that of the fastest, 95 %.
std::pair<double, double> ratio_interval(const Ranked& one) {
  if (one.in_final) return {one.ratio_low, one.ratio_high};
  const auto& measurement = one.trial.outcome.measurement;
  if (!measurement || measurement->median_ns <= 0) return {one.ratio, one.ratio};
  return {one.ratio * measurement->low_ns / measurement->median_ns,
          one.ratio * measurement->high_ns / measurement->median_ns};
}

const Ranked* ranked_as(const db::Ranking& all, const model::TrialRecord& wanted) {
  const auto found = std::ranges::find_if(all, [&](const Ranked& one) {
    return one.trial.kernel == wanted.kernel && one.trial.configuration == wanted.configuration;
  });
  return found == all.end() ? nullptr : &*found;
}

std::string timed_name(const Ranked& one, const Style& style) {
  const auto& measurement = one.trial.outcome.measurement;
  return fmt::format("{} {} {}", one.trial.kernel, style.id(one.trial.key),
                     measurement ? reports::time_text(measurement->median_ns) : "");
}

/// What is said where the second of `first_two` is faster than the first beyond doubt in `there`.
std::optional<std::string> places_changed(const db::Ranking& first_two, const db::Ranking& there,
                                          const Chosen& here_and_there, const Style& style) {
  const Ranked* const first = ranked_as(there, first_two[0].trial);
  const Ranked* const second = ranked_as(there, first_two[1].trial);
  if (first == nullptr || second == nullptr || ratio_interval(*second).second >= ratio_interval(*first).first)
    return std::nullopt;
  const model::Problem& problem = here_and_there[0]->problem();
  return fmt::format("{} {}: the first two change places with {}: {}, {}", problem.family,
                     reports::size_label(problem), choosing_flags(here_and_there, here_and_there[1]),
                     timed_name(*second, style), timed_name(*first, style));
}

}  // namespace

std::vector<std::string> orders_elsewhere(const db::Connection& connection, const db::BestAnswers& answers,
                                          const db::BestQuery& query, const Style& style) {
  std::vector<std::string> out;
  const std::vector<db::Case> cases = db::cases(connection);
  for (const EnvironmentChoice& choice : choose_environments(answers)) {
    const BestAnswer& here = answers[choice.chosen.value_or(choice.answers.front())];
    db::Ranking first_two;
    for (const db::Case& other : cases) {
      const bool is_alike =
          other.problem == here.problem() && differ_in_taking(here.environment(), other.environment);
      if (!is_alike) continue;
      if (first_two.empty()) first_two = db::ranking(connection, here, query);
      if (first_two.size() < 2) break;
      db::TrialFilter filter;
      filter.family = other.problem.family;
      filter.kernel = query.kernel;
      filter.problem = other.problem;
      filter.environment = other.environment;
      for (const BestAnswer& there : db::best_of_each(connection, filter, query.same_bits)) {
        const db::Ranking ranked = db::ranking(connection, there, query);
        if (auto said = places_changed(first_two, ranked, {&here, &there}, style))
          out.push_back(std::move(*said));
      }
    }
  }
  return out;
}

}  // namespace tuner::cli::answers
