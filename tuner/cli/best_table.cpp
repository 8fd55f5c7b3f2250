#include "tuner/cli/best_table.hpp"

#include <fmt/format.h>

#include "reports/numbers.hpp"
#include "reports/summary.hpp"

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

}  // namespace

std::string metric_text(const model::TrialRecord& trial, const std::string& metric) {
  const auto found = trial.metrics.find(metric);
  return found == trial.metrics.end() ? "" : reports::significant(found->second);
}

reports::Table best_table(const std::vector<db::BestAnswer>& answers) {
  using reports::Align;
  const std::string metric = first_metric(answers);
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
  for (const db::BestAnswer& answer : answers) {
    const model::TrialRecord& winner = answer.winner;
    const auto& measurement = winner.outcome.measurement;
    table.add_row(
        {winner.problem.text(), winner.kernel, winner.configuration.text(),
         measurement
             ? reports::time_text(measurement->median_ns) + (measurement->includes_launch_latency ? " †" : "")
             : "",
         measurement ? reports::interval_text(measurement->low_ns, measurement->high_ns) : "",
         metric_text(winner, metric), winner.resources ? fmt::format("{}", winner.resources->registers) : "",
         occupancy_text(winner), limiter_text(winner), speedup_text(answer),
         fmt::format("{}", answer.tied_count)});
  }
  return table;
}

}  // namespace tuner::cli
