#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "db/queries.hpp"
#include "reports/findings.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"

namespace tuner::cli::answers {
namespace {

bool has_energy(const db::Ranked& one) {
  return one.trial.outcome.energy && one.trial.outcome.trusted_ns();
}

bool is_of_final(const db::Ranked& one) {
  return one.trial.outcome.energy->runs > 1;
}

/// Whether its energy was measured in the last final, beside the others, on the GPU that the trial names.
bool is_of_last_final(const db::Ranked& one) {
  return is_of_final(one) && one.in_final && one.trial.outcome.energy->sequence == one.trial.sequence;
}

/// What can be compared: energies of one final. Temperature and GPU change energy by more than its interval,
/// so those of other finals stand back where the last one has any, and races behind finals.
void keep_comparable(db::Ranking& ranked) {
  std::erase_if(ranked, [](const db::Ranked& one) { return !has_energy(one); });
  for (const auto is_best_kind : {is_of_last_final, is_of_final}) {
    if (std::ranges::none_of(ranked, is_best_kind)) continue;
    std::erase_if(ranked, [&](const db::Ranked& one) { return !is_best_kind(one); });
    return;
  }
}

double value_of(model::Objective objective, const model::TrialRecord& trial) {
  return model::objective_value(objective, trial.outcome.measurement->median_ns,
                                trial.outcome.energy->mean_j);
}

/// Whether their intervals leave open which of the two is better.
bool overlap(model::Objective objective, const model::TrialRecord& best, const model::TrialRecord& other) {
  const model::Energy& a = *best.outcome.energy;
  const model::Energy& b = *other.outcome.energy;
  if (a.runs < 2 || b.runs < 2) return false;
  return model::objective_value(objective, other.outcome.measurement->low_ns, b.low_j) <=
         model::objective_value(objective, best.outcome.measurement->high_ns, a.high_j);
}

/// `ranked` keeps what the pointers point to.
reports::Trials comparable_of(db::Ranking& ranked) {
  keep_comparable(ranked);
  reports::Trials trials;
  for (const db::Ranked& one : ranked) trials.push_back(&one.trial);
  return trials;
}

}  // namespace

bool answer_by(model::Objective objective, db::BestAnswer& answer, db::Ranking& ranked) {
  if (objective == model::Objective::time) return true;
  keep_comparable(ranked);
  if (ranked.empty()) return false;
  std::ranges::stable_sort(ranked, {}, [&](const db::Ranked& one) { return value_of(objective, one.trial); });
  answer.objective = objective;
  if (answer.winner.key != ranked.front().trial.key) answer.winner = ranked.front().trial;
  if (!ranked.front().in_final) answer.final.reset();
  answer.tied.clear();
  for (const db::Ranked& one : ranked)
    if (one.trial.key != answer.winner.key && overlap(objective, answer.winner, one.trial))
      answer.tied.push_back(one.trial);
  answer.tied_count = static_cast<std::int64_t>(answer.tied.size());
  answer.dropped_near = 0;
  answer.newcomers.clear();
  return true;
}

std::string energy_front_text(db::Ranking ranked, const Style& style) {
  const reports::Trials front = reports::energy_front(comparable_of(ranked));
  if (front.empty()) return "";
  if (front.size() == 1) return "no trial surely uses less energy than the fastest\n";
  return "what saving energy costs:\n" + reports::front_table({front}, [&](const model::TrialRecord& trial) {
                                           return style.id(trial.key);
                                         }).fitted(style.columns);
}

std::string cheaper_text(const db::BestAnswer& answer, db::Ranking ranked, const Style& style) {
  const auto& own = answer.winner.outcome.energy;
  const reports::Trials front = reports::energy_front(comparable_of(ranked));
  const bool has_winner =
      std::ranges::any_of(ranked, [&](const db::Ranked& one) { return one.trial.key == answer.winner.key; });
  if (!own || front.empty() || !has_winner) return "";
  const model::TrialRecord& cheapest = *front.back();
  if (cheapest.key == answer.winner.key || !(cheapest.outcome.energy->high_j < own->low_j)) return "";
  constexpr double shown = 0.0005;  // as 0.1 %
  const double longer = db::times_as_long(answer, cheapest) - 1;
  std::string text =
      fmt::format("{} uses {:.1f} % less energy and {}", style.id(cheapest.key),
                  100 * (1 - cheapest.outcome.energy->mean_j / own->mean_j),
                  longer < shown ? "is no slower" : fmt::format("takes {:.1f} % longer", 100 * longer));
  if (front.size() > 1)
    text += fmt::format(": `tuner best {} --objective energy` shows what saving costs",
                        answer.problem().size_text());
  return text;
}

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

/// Of its time by that of the fastest, 95 %. What was dropped may be as much faster as a race's last cut is.
std::pair<double, double> ratio_interval(const Ranked& one) {
  if (one.in_final) return {one.ratio_low, one.ratio_high};
  const auto& measurement = one.trial.outcome.measurement;
  if (!measurement || measurement->median_ns <= 0) return {one.ratio, one.ratio};
  const double doubt = one.trial.outcome.status == model::TrialStatus::dropped ? 1.15 : 1;
  return {one.ratio * measurement->low_ns / measurement->median_ns / doubt,
          one.ratio * measurement->high_ns / measurement->median_ns * doubt};
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
  const bool is_known =
      first != nullptr && second != nullptr &&
      second->trial.outcome.status != model::TrialStatus::dropped;  // two such have no order
  if (!is_known || ratio_interval(*second).second >= ratio_interval(*first).first) return std::nullopt;
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
