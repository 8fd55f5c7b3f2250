#include "tuner/cli/answers/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best_formats.hpp"
#include "tuner/cli/answers/best_table.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using Value = std::optional<model::Value>;

struct Figure {
  const char* name;
  Value (*of)(const model::TrialRecord& trial);
};

Value registers(const model::TrialRecord& trial) {
  return trial.resources ? Value(std::int64_t{trial.resources->registers}) : std::nullopt;
}
Value spill_bytes(const model::TrialRecord& trial) {
  if (!trial.resources) return std::nullopt;
  return Value(std::int64_t{trial.resources->spill_store_bytes} + trial.resources->spill_load_bytes);
}
Value shared_bytes(const model::TrialRecord& trial) {
  if (!trial.resources) return std::nullopt;
  return Value(std::int64_t{trial.resources->static_shared_bytes} + trial.dynamic_shared_bytes);
}
Value block_threads(const model::TrialRecord& trial) {
  return Value(std::int64_t{trial.block.x} * trial.block.y * trial.block.z);
}
Value occupancy(const model::TrialRecord& trial) {
  if (!trial.occupancy) return std::nullopt;
  return Value(static_cast<std::int64_t>(std::floor(trial.occupancy->fraction * 100 + 1e-9)));
}
Value time_us(const model::TrialRecord& trial) {
  if (!trial.outcome.measurement) return std::nullopt;
  return Value(static_cast<std::int64_t>(trial.outcome.measurement->median_ns / 1000));
}

constexpr Figure figures[] = {{"registers", registers},       {"spill_bytes", spill_bytes},
                              {"shared_bytes", shared_bytes}, {"block_threads", block_threads},
                              {"occupancy", occupancy},       {"time_us", time_us}};

/// The names of one kernel's trials: its parameters, then the figures.
std::vector<space::ConditionName> names_of(const std::vector<const model::TrialRecord*>& trials) {
  std::vector<space::ConditionName> names;
  for (const model::Assignment& assignment : trials.front()->configuration.assignments()) {
    space::ConditionName& name = names.emplace_back();
    name.name = assignment.name;
    for (const model::TrialRecord* trial : trials) {
      const model::Value* value = trial->configuration.find(assignment.name);
      if (value == nullptr || !value->is_word()) continue;
      const std::string word = value->text();
      if (std::find(name.words.begin(), name.words.end(), word) == name.words.end())
        name.words.push_back(word);
    }
  }
  for (const Figure& figure : figures) names.push_back({figure.name});
  return names;
}

Value value_of(const model::TrialRecord& trial, const std::string& name) {
  if (const model::Value* value = trial.configuration.find(name); value != nullptr) return *value;
  for (const Figure& figure : figures) {
    if (name == figure.name) return figure.of(trial);
  }
  return std::nullopt;
}

bool knows(const std::vector<space::ConditionName>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& known) { return known.name == name; });
}

bool holds_for_one(const space::NamedCondition& condition, const std::vector<space::ConditionName>& names,
                   const std::vector<std::string>& used, const model::TrialRecord& trial) {
  std::vector<model::Value> values;
  for (const space::ConditionName& name : names) {
    const Value value = value_of(trial, name.name);
    const bool is_used = std::find(used.begin(), used.end(), name.name) != used.end();
    if (!value && is_used) return false;
    values.push_back(value.value_or(model::Value()));
  }
  return condition.holds(values);
}

}  // namespace

std::vector<bool> TrialCondition::holds_for(const std::vector<const model::TrialRecord*>& trials) const {
  const std::vector<std::string> used = space::names_in(m_text);
  std::map<std::string, std::vector<const model::TrialRecord*>> by_kernel;
  for (const model::TrialRecord* trial : trials) by_kernel[trial->kernel].push_back(trial);
  std::map<const model::TrialRecord*, bool> holds;
  std::optional<model::UsageError> mistake;
  bool fits_one = by_kernel.empty();
  for (const auto& [kernel, of_kernel] : by_kernel) {
    const std::vector<space::ConditionName> names = names_of(of_kernel);
    const bool has_all =
        std::all_of(used.begin(), used.end(), [&](const std::string& name) { return knows(names, name); });
    try {
      const space::NamedCondition condition(m_text, names);
      fits_one = true;
      for (const model::TrialRecord* trial : of_kernel)
        holds[trial] = holds_for_one(condition, names, used, *trial);
    } catch (const model::UsageError& error) {
      if (has_all || !mistake) mistake = error;
    }
  }
  if (!fits_one) throw model::UsageError(*mistake);
  std::vector<bool> out;
  for (const model::TrialRecord* trial : trials) out.push_back(holds[trial]);
  return out;
}

namespace {

using reports::Align;

std::string standing_cell(const db::Ranked& ranked) {
  if (!ranked.in_final) return fmt::format("~{:.3f}", ranked.ratio);
  if (ranked.ratio_low == ranked.ratio_high) return fmt::format("{:.3f}", ranked.ratio);
  return reports::ratio_interval_text(ranked.ratio, ranked.ratio_low, ranked.ratio_high);
}

reports::Table figures_table(const RankedCase& tuning_case, const Common& common, const std::string& metric,
                             bool with_configurations, const Style& style) {
  reports::Table table({{"trial"}});
  if (!common.has_one_kernel()) table.add_column("kernel");
  if (with_configurations) table.add_column("configuration");
  table.add_column("median", Align::right);
  if (!metric.empty()) table.add_column(metric, Align::right, false, 3);
  table.add_column("time / fastest", Align::right);
  table.add_column("registers", Align::right, false, 2);
  table.add_column("occupancy", Align::right, false, 1);
  for (const db::Ranked& one : tuning_case.trials) {
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

std::string case_text(const RankedCase& tuning_case, const Style& style) {
  reports::Trials trials;
  for (const db::Ranked& one : tuning_case.trials) trials.push_back(&one.trial);
  const std::string metric = reports::choose_metric(trials, "");
  const Common common(trials);
  const reports::Table whole = figures_table(tuning_case, common, metric, true, style);
  std::string text;
  if (whole.width() <= style.columns) {
    text = whole.fitted(style.columns);
  } else {
    text = figures_table(tuning_case, common, metric, false, style).fitted(style.columns, "--format json") +
           '\n';
    for (const model::TrialRecord* trial : trials)
      text +=
          util::wrapped_text(style.id(trial->key) + ": " +
                                 (common.has_one_kernel() ? "" : trial->kernel + ' ') + common.rest(*trial),
                             style.columns, 2);
  }
  text += common.text(style.columns);
  if (tuning_case.left_out > 0)
    text +=
        fmt::format("{} more {} not shown\n", tuning_case.left_out, tuning_case.left_out == 1 ? "is" : "are");
  return text;
}

bool is_raced_alone(const db::Ranked& ranked) {
  return !ranked.in_final;
}

bool is_dropped(const db::Ranked& ranked) {
  return reports::is_approximate(ranked.trial);
}

}  // namespace

std::string ranking_text(const std::vector<RankedCase>& cases, const Style& style) {
  std::string text;
  bool raced = false, dropped = false;
  for (const RankedCase& tuning_case : cases) {
    if (!text.empty()) text += '\n';
    text += util::wrapped_text(fmt::format("{} {}: {}", tuning_case.answer.tuning_case.problem.family,
                                           size_label(tuning_case.answer.tuning_case.problem),
                                           tuning_case.answer.tuning_case.environment.text()),
                               style.columns, 2);
    text += tuning_case.trials.empty() ? "no trial that may be used\n" : case_text(tuning_case, style);
    raced = raced || std::any_of(tuning_case.trials.begin(), tuning_case.trials.end(), is_raced_alone);
    dropped = dropped || std::any_of(tuning_case.trials.begin(), tuning_case.trials.end(), is_dropped);
  }
  if (raced)
    text += util::wrapped_text(fmt::format("~ by their medians: not sampled in turn with the fastest{}",
                                           dropped ? "; before a time: dropped early, so approximate" : ""),
                               style.columns, 2);
  return text;
}

std::string ranking_json(const std::vector<RankedCase>& cases) {
  reports::Json out = {{"schema_version", 2}, {"rankings", reports::Json::array()}};
  for (const RankedCase& one_case : cases) {
    reports::Json entry = case_json(one_case.answer);
    entry["left_out"] = one_case.left_out;
    entry["trials"] = reports::Json::array();
    for (const db::Ranked& one : one_case.trials) {
      reports::Json& trial = entry["trials"].emplace_back(trial_json(one_case.answer, one.trial));
      trial["time_by_fastest"] = one.ratio;
      trial["sampled_in_turn"] = one.in_final;
    }
    out["rankings"].push_back(std::move(entry));
  }
  return reports::json_text(out);
}

}  // namespace tuner::cli::answers
