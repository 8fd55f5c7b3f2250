#include "tuner/cli/answers/ranking_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/numbers.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answers/best_formats.hpp"
#include "tuner/cli/answers/best_table.hpp"
#include "tuner/util/wrap.hpp"

namespace tuner::cli::answers {
namespace {

using reports::Align;

std::string standing_cell(const db::Ranked& ranked) {
  if (!ranked.in_final) return fmt::format("~{:.3f}", ranked.ratio);
  if (ranked.ratio_low == ranked.ratio_high) return fmt::format("{:.3f}", ranked.ratio);
  return reports::ratio_interval_text(ranked.ratio, ranked.ratio_low, ranked.ratio_high);
}

reports::Table figures_table(const RankedContest& contest, const Common& common, const std::string& metric,
                             bool with_configurations, const Style& style) {
  reports::Table table({{"trial"}});
  if (!common.has_one_kernel()) table.add_column("kernel");
  if (with_configurations) table.add_column("configuration");
  table.add_column("median", Align::right);
  if (!metric.empty()) table.add_column(metric, Align::right, false, 3);
  table.add_column("time / fastest", Align::right);
  table.add_column("registers", Align::right, false, 2);
  table.add_column("occupancy", Align::right, false, 1);
  for (const db::Ranked& one : contest.trials) {
    const model::TrialRecord& trial = one.trial;
    std::vector<std::string> row = {style.id(trial.key)};
    if (!common.has_one_kernel()) row.push_back(trial.kernel);
    if (with_configurations) row.push_back(common.rest(trial));
    const std::string mark = reports::is_approximate(trial) ? "~" : "";
    row.push_back(mark + reports::time_text(trial.outcome.measurement->median_ns) +
                  reports::unverified_mark(trial));
    if (!metric.empty()) row.push_back(mark + metric_text(trial, metric));
    row.push_back(standing_cell(one));
    row.push_back(trial.resources ? fmt::format("{}", trial.resources->registers) : "");
    row.push_back(trial.occupancy ? reports::percent_text(trial.occupancy->fraction) : "");
    table.add_row(std::move(row));
  }
  return table;
}

std::string contest_text(const RankedContest& contest, const Style& style) {
  reports::Trials trials;
  for (const db::Ranked& one : contest.trials) trials.push_back(&one.trial);
  const std::string metric = reports::choose_metric(trials, "");
  const Common common(trials);
  const reports::Table whole = figures_table(contest, common, metric, true, style);
  std::string text;
  if (whole.width() <= style.columns) {
    text = whole.fitted(style.columns);
  } else {
    text = figures_table(contest, common, metric, false, style).fitted(style.columns, "--format json") + '\n';
    for (const model::TrialRecord* trial : trials)
      text +=
          util::wrapped_text(style.id(trial->key) + ": " +
                                 (common.has_one_kernel() ? "" : trial->kernel + ' ') + common.rest(*trial),
                             style.columns, 2);
  }
  text += common.text(style.columns);
  if (contest.left_out > 0)
    text += fmt::format("{} more {} not shown\n", contest.left_out, contest.left_out == 1 ? "is" : "are");
  return text;
}

bool is_raced_alone(const db::Ranked& ranked) {
  return !ranked.in_final;
}

bool is_dropped(const db::Ranked& ranked) {
  return reports::is_approximate(ranked.trial);
}

}  // namespace

std::string ranking_text(const std::vector<RankedContest>& contests, const Style& style) {
  std::string text;
  bool raced = false, dropped = false;
  for (const RankedContest& contest : contests) {
    if (!text.empty()) text += '\n';
    text += util::wrapped_text(fmt::format("{} {}: {}", contest.answer.contest.problem.family,
                                           size_label(contest.answer.contest.problem),
                                           contest.answer.contest.comparison_class.text()),
                               style.columns, 2);
    text += contest.trials.empty() ? "no trial that may be used\n" : contest_text(contest, style);
    raced = raced || std::any_of(contest.trials.begin(), contest.trials.end(), is_raced_alone);
    dropped = dropped || std::any_of(contest.trials.begin(), contest.trials.end(), is_dropped);
  }
  if (raced)
    text += util::wrapped_text(fmt::format("~ by their medians: not sampled in turn with the fastest{}",
                                           dropped ? "; before a time: dropped early, so approximate" : ""),
                               style.columns, 2);
  return text;
}

std::string ranking_json(const std::vector<RankedContest>& contests) {
  nlohmann::ordered_json out;
  out["schema_version"] = 1;
  out["rankings"] = nlohmann::ordered_json::array();
  for (const RankedContest& contest : contests) {
    nlohmann::ordered_json entry = contest_json(contest.answer);
    entry["left_out"] = contest.left_out;
    entry["trials"] = nlohmann::ordered_json::array();
    for (const db::Ranked& one : contest.trials) {
      nlohmann::ordered_json trial = trial_json(contest.answer, one.trial);
      trial["time_by_fastest"] = one.ratio;
      trial["sampled_in_turn"] = one.in_final;
      entry["trials"].push_back(std::move(trial));
    }
    out["rankings"].push_back(std::move(entry));
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::cli::answers
