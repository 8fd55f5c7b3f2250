#include "reports/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "reports/findings.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
#include "tuner/model/winner.hpp"

namespace reports {
namespace {

using db::json_of;
using model::TrialRecord;

constexpr int schema_version = 3;

Json key_json(const TrialRecord* trial) {
  return trial == nullptr ? Json(nullptr) : json_of(trial->key);
}

Json problem_json(const ProblemSummary& summary) {
  Json tied = Json::array();
  for (const TrialRecord* trial : summary.tied) tied.push_back(key_json(trial));
  Json baselines = Json::array();
  for (const TrialRecord* baseline : summary.baselines) {
    if (summary.best != nullptr) baselines.push_back(baseline_json(*baseline, *summary.best, summary.final));
  }
  return {{"problem", json_of(summary.problem)},
          {"best", key_json(summary.best)},
          {"approximate", summary.best != nullptr && is_approximate(*summary.best)},
          {"remeasured", summary.final != nullptr},
          {"tied", std::move(tied)},
          {"baselines", std::move(baselines)},
          {"final", final_json(summary.final)},
          {"newcomers", summary.newcomers},
          {"searched", searched_json(summary.searched)},
          {"default", key_json(summary.default_trial)},
          {"speedup_over_default", json_of(summary.speedup())},
          {"slowest", key_json(summary.slowest)}};
}

/// By which the winner of the trial's problem was found.
const model::FinalRecord* final_of(const TrialRecord& trial, const ReportInput& input) {
  const model::Winner* winner = winner_of(input.winners, trial.problem, trial.environment);
  return winner != nullptr && winner->final ? &*winner->final : nullptr;
}

Json group_json(const EnvironmentGroup& group, const ReportInput& input) {
  Json out = {{"environment", json_of(group.environment)},
              {"ceilings", Json::array()},
              {"problems", Json::array()},
              {"failures", Json::object()},
              {"trials", Json::array()}};
  for (const model::Ceiling& ceiling : input.ceilings)
    if (ceiling.device == group.environment.device) out["ceilings"].push_back(json_of(ceiling));
  for (const ProblemSummary& summary : by_problem(group.trials, input.winners))
    out["problems"].push_back(problem_json(summary));
  for (const FailureSummary& failure : failures(group.trials))
    out["failures"][std::string(model::to_string(failure.status))] = failure.count;
  for (const TrialRecord* trial : group.trials)
    out["trials"].push_back(trial_json(*trial, input.ceilings, final_of(*trial, input)));
  return out;
}

/// A value in CSV. Numbers are written so that reading them gives the same bits.
std::string cell_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.is_null() ? "" : value.dump();
  std::string items;
  for (const Json& item : value) items += (items.empty() ? "" : ";") + cell_of(item);
  return items;
}

/// Calls `found` with the path to each value in an object, as `measurement.median_ns`, and the value.
template <typename Found>
void walk(const Json& value, const std::string& path, const Found& found) {
  if (!value.is_object()) return found(path, value);
  for (const auto& [name, member] : value.items())
    walk(member, path.empty() ? name : path + '.' + name, found);
}

/// Paths to values, in the order of the objects that have them.
class Paths {
 public:
  /// A new path stands behind the one before it in its object. Those to null are none unless `all` are.
  void add(const Json& object, bool all) {
    std::string before;
    walk(object, "", [&](const std::string& path, const Json& value) {
      if ((all || !value.is_null()) && m_known.insert(path).second) {
        const auto at = std::find(m_order.begin(), m_order.end(), before);
        m_order.insert(at == m_order.end() ? m_order.begin() : std::next(at), path);
      }
      if (m_known.contains(path)) before = path;
    });
  }
  const std::vector<std::string>& order() const { return m_order; }

 private:
  std::vector<std::string> m_order;
  std::unordered_set<std::string> m_known;
};

/// The trial's JSON with the number of its samples in their place, and whether it is the one to use.
Json row_json(const TrialRecord& trial, const ReportInput& input) {
  const model::Winner* winner = winner_of(input.winners, trial.problem, trial.environment);
  Json row = trial_json(trial, input.ceilings, final_of(trial, input));
  if (trial.outcome.measurement) {
    row["measurement"].erase("samples_ns");
    row["measurement"]["samples"] = trial.outcome.measurement->samples_ns.size();
  }
  row["best"] = winner != nullptr && winner->trial == trial.key;
  return row;
}

/// With every part that a trial may have.
Json whole_row() {
  TrialRecord trial;
  trial.outcome.measurement.emplace();
  trial.resources.emplace();
  trial.occupancy.emplace();
  Json row = row_json(trial, {});
  row["ceiling_share"] = {{"fraction", nullptr}, {"ceiling", nullptr}};
  row["in_final"] = json_of(model::FinalRecord::Entry{});
  row.erase("macros");  // an object in the trials that have any
  return row;
}

}  // namespace

Json trial_json(const TrialRecord& trial, const std::vector<model::Ceiling>& ceilings,
                const model::FinalRecord* final) {
  Json out = json_of(trial);
  out["approximate"] = is_approximate(trial);
  const auto share = ceiling_share(trial, ceilings);
  out["ceiling_share"] =
      share ? Json{{"fraction", share->fraction}, {"ceiling", share->ceiling->kind}} : Json(nullptr);
  const model::FinalRecord::Entry* entry = standing(final, trial);
  out["in_final"] = entry == nullptr ? Json(nullptr) : json_of(*entry);
  return out;
}

Json final_json(const model::FinalRecord* final) {
  if (final == nullptr) return nullptr;
  Json out = json_of(*final);
  out["fastest"] = json_of(final->entries.front().trial);
  out["rule"] = model::final_rule;
  return out;
}

Json baseline_json(const TrialRecord& baseline, const TrialRecord& winner, const model::FinalRecord* final) {
  const model::BaselineRatio ratio = model::baseline_ratio(baseline, winner, final);
  return {{"name", baseline.kernel},
          {"trial", json_of(baseline.key)},
          {"library", baseline.outcome.detail},
          {"median_ns", baseline.outcome.measurement->median_ns},
          {"ratio", ratio.ratio},
          {"ratio_low", ratio.low},
          {"ratio_high", ratio.high},
          {"paired", ratio.paired}};
}

Json searched_json(const std::optional<model::Searched>& searched) {
  if (!searched) return nullptr;
  Json out = {{"candidates", searched->candidates},
              {"tried", searched->tried},
              {"reopened", searched->reopened},
              {"whole", searched->whole()},
              {"outlook", json_of(searched->outlook)}};
  if (searched->outlook) out["outlook"]["tried"] = searched->outlook_tried;
  return out;
}

std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string to_json(const ReportInput& input) {
  Json document = {
      {"schema_version", schema_version},   {"title", input.title}, {"command", input.command},
      {"generated_at", input.generated_at}, {"notes", input.notes}, {"runs", json_of(input.runs)},
      {"environments", Json::array()}};
  for (const EnvironmentGroup& group : by_environment(view(input.trials)))
    document["environments"].push_back(group_json(group, input));
  return json_text(document);
}

std::string to_csv(const ReportInput& input) {
  Paths columns;
  columns.add(whole_row(), true);
  for (const TrialRecord& trial : input.trials) columns.add(row_json(trial, input), false);
  std::string out = csv_line(columns.order());
  for (const TrialRecord& trial : input.trials) {
    std::unordered_map<std::string, std::string> cells;
    walk(row_json(trial, input), "",
         [&](const std::string& path, const Json& value) { cells[path] = cell_of(value); });
    std::vector<std::string> line;
    for (const std::string& column : columns.order()) line.push_back(cells[column]);
    out += csv_line(line);
  }
  return out;
}

}  // namespace reports
