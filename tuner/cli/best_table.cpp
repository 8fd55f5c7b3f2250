#include "tuner/cli/best_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/baseline.hpp"
#include "reports/ceiling.hpp"
#include "reports/numbers.hpp"
#include "reports/searched.hpp"
#include "reports/summary.hpp"
#include "tuner/model/winner.hpp"

namespace tuner::cli {
namespace {

std::string occupancy_text(const model::TrialRecord& trial) {
  return trial.occupancy ? reports::percent_text(trial.occupancy->fraction) : "";
}

std::string limiter_text(const model::TrialRecord& trial) {
  return trial.occupancy ? fmt::format("{}", fmt::join(trial.occupancy->limited_by, ", ")) : "";
}

std::string speedup_text(const db::BestAnswer& answer) {
  if (!answer.untuned || !answer.untuned->outcome.measurement || !answer.winner.outcome.measurement)
    return "";
  const bool approximate = !model::has_trusted_time(answer.untuned->outcome.status);
  return (approximate ? "~" : "") + reports::ratio_text(answer.untuned->outcome.measurement->median_ns /
                                                        answer.winner.outcome.measurement->median_ns);
}

std::string first_metric(const std::vector<db::BestAnswer>& answers) {
  reports::Trials winners;
  for (const db::BestAnswer& answer : answers) winners.push_back(&answer.winner);
  return reports::choose_metric(winners, "");
}

bool is_raced(const db::BestAnswer& answer) {
  return !answer.final;
}

bool is_unverified(const db::BestAnswer& answer) {
  return reports::is_unverified(answer.winner);
}

bool has_latency(const db::BestAnswer& answer) {
  return reports::has_latency(answer.winner);
}

/// By the rule, among several.
bool is_chosen(const db::BestAnswer& answer) {
  return answer.final && answer.winner.key == answer.final->chosen && answer.tied_count > 0;
}

/// It is not the fastest of its final, only tied with it or the best of its kernel.
bool is_behind(const db::BestAnswer& answer) {
  return answer.final && answer.winner.key != answer.final->entries.front().trial;
}

std::string behind_text(const db::BestAnswer& answer) {
  if (!answer.final) return "-";
  if (!is_behind(answer)) return "1";
  const auto* entry = model::entry_of(*answer.final, answer.winner.key);
  return reports::ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high);
}

std::vector<std::string> baseline_names(const std::vector<db::BestAnswer>& answers) {
  std::set<std::string> names;
  for (const db::BestAnswer& answer : answers) {
    for (const model::TrialRecord& baseline : answer.baselines) names.insert(baseline.kernel);
  }
  return {names.begin(), names.end()};
}

std::string marks(const db::BestAnswer& answer) {
  return std::string(has_latency(answer) ? " †" : "") + (is_raced(answer) ? " *" : "") +
         reports::unverified_mark(answer.winner);
}

}  // namespace

std::string metric_text(const model::TrialRecord& trial, const std::string& metric) {
  const auto found = trial.metrics.find(metric);
  return found == trial.metrics.end() ? "" : reports::significant(found->second);
}

reports::Table best_table(const std::vector<db::BestAnswer>& answers) {
  using reports::Align;
  const std::string metric = first_metric(answers);
  const bool behind = std::any_of(answers.begin(), answers.end(), is_behind);
  const bool bound = std::any_of(answers.begin(), answers.end(), [](const db::BestAnswer& answer) {
    return reports::ceiling_share(answer.winner, answer.ceilings).has_value();
  });
  reports::Table table({{"size"},
                        {"kernel"},
                        {"configuration"},
                        {"median", Align::right},
                        {"95 % interval", Align::right},
                        {metric.empty() ? "metric" : metric, Align::right},
                        {"registers", Align::right},
                        {"occupancy", Align::right},
                        {"limited by"},
                        {"× default", Align::right},
                        {"tied", Align::right}});
  const std::vector<std::string> baselines = baseline_names(answers);
  for (const std::string& name : baselines) table.add_column(reports::baseline_heading(name), Align::right);
  if (behind) table.add_column("time / fastest", Align::right);
  if (bound) table.add_column("of ceiling", Align::right);
  const bool has_ideas = std::any_of(answers.begin(), answers.end(), [](const db::BestAnswer& answer) {
    return !answer.winner.idea.empty();
  });
  if (has_ideas) table.add_column("idea");
  for (const db::BestAnswer& answer : answers) {
    const model::TrialRecord& winner = answer.winner;
    const auto& measurement = winner.outcome.measurement;
    std::vector<std::string> row = {
        winner.problem.text(),
        winner.kernel,
        winner.configuration.text(),
        measurement ? reports::time_text(measurement->median_ns) + marks(answer) : "",
        measurement ? reports::interval_text(measurement->low_ns, measurement->high_ns) : "",
        metric_text(winner, metric),
        winner.resources ? fmt::format("{}", winner.resources->registers) : "",
        occupancy_text(winner),
        limiter_text(winner),
        speedup_text(answer),
        fmt::format("{}", answer.tied_count)};
    for (const std::string& name : baselines) {
      row.push_back(reports::baseline_text(name, reports::view(answer.baselines), &winner,
                                           answer.final ? &*answer.final : nullptr));
    }
    if (behind) row.push_back(behind_text(answer));
    if (bound) row.push_back(reports::ceiling_text(reports::ceiling_share(winner, answer.ceilings)));
    if (has_ideas) row.push_back(winner.idea);
    table.add_row(std::move(row));
  }
  return table;
}

std::string best_text(const std::vector<db::BestAnswer>& answers) {
  const auto any = [&](bool (*is)(const db::BestAnswer&)) {
    return std::any_of(answers.begin(), answers.end(), is);
  };
  std::string text = best_table(answers).plain();
  if (any(is_raced)) {
    text += "* not re-measured after the race: the lowest of many medians, so optimistic\n";
  }
  if (any(has_latency)) text += "† too short to tell from launch latency, which the time includes\n";
  if (any(is_unverified))
    text += "unverified: nobody looked at the results, the spec says verify = \"none\"\n";
  if (const std::string note = reports::baseline_note(baseline_names(answers)); !note.empty())
    text += note + "\n";
  if (any(is_chosen)) text += fmt::format("chosen: {}\n", model::final_rule);
  std::vector<reports::LabelledSearch> searches;
  for (const db::BestAnswer& answer : answers)
    searches.emplace_back(answer.winner.problem.size_text(), answer.searched);
  for (const auto& [sizes, said] : reports::searched_lines(searches))
    text += fmt::format("{}: {}\n", sizes, said);
  return text;
}

}  // namespace tuner::cli
