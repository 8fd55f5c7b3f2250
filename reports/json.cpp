#include "reports/json.hpp"

#include <fmt/format.h>

#include <ostream>
#include <string_view>
#include <utility>

#include "reports/findings.hpp"
#include "tuner/model/winner.hpp"

namespace reports {
namespace {

using db::json_of;
using model::TrialRecord;

constexpr int schema_version = 3;

Json key_json(const TrialRecord* trial) {
  return trial == nullptr ? Json(nullptr) : json_of(trial->key);
}

Json problem_json(const ProblemSummary& summary, const ReportInput& input) {
  Json tied = Json::array();
  for (const TrialRecord* trial : summary.tied) tied.push_back(key_json(trial));
  Json baselines = Json::array();
  for (const TrialRecord* baseline : summary.baselines) {
    if (summary.best != nullptr) baselines.push_back(baseline_json(*baseline, *summary.best, summary.final));
  }
  Json final = final_json(summary.final);
  if (summary.final != nullptr)
    add_check(summary.is_settled, summary.is_off_clock, summary.in_turn_ns, final);
  const auto explained =
      summary.best == nullptr ? input.explanations.end() : input.explanations.find(summary.best->key);
  return {{"problem", json_of(summary.problem)},
          {"best", key_json(summary.best)},
          {"approximate", summary.best != nullptr && is_approximate(*summary.best)},
          {"remeasured", summary.final != nullptr},
          {"tied", std::move(tied)},
          {"baselines", std::move(baselines)},
          {"final", std::move(final)},
          {"newcomers", summary.newcomers},
          {"searched", searched_json(summary.searched)},
          {"default", key_json(summary.default_trial)},
          {"same_bits", summary.best == nullptr
                            ? Json(nullptr)
                            : same_bits_json(*summary.best, summary.default_trial, summary.same_bits)},
          {"speedup_over_default", json_of(summary.speedup())},
          {"slowest", key_json(summary.slowest)},
          {"explanation",
           explained == input.explanations.end() ? Json(nullptr) : findings_json(explained->second)}};
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

Json same_bits_json(const TrialRecord& best, const TrialRecord* untuned,
                    const std::vector<std::vector<model::Digest>>& groups) {
  const auto relation = untuned == nullptr
                            ? model::BitsRelation::unknown
                            : compare_bits(best.outcome.output_bits, untuned->outcome.output_bits);
  return {
      {"as_default", relation == model::BitsRelation::unknown ? Json(nullptr)
                                                              : Json(relation == model::BitsRelation::same)},
      {"groups", json_of(groups)}};
}

Json final_json(const model::FinalRecord* final) {
  if (final == nullptr) return nullptr;
  Json out = json_of(*final);
  out["fastest"] = json_of(final->entries.front().trial);
  out["rule"] = model::final_rule;
  return out;
}

void add_check(bool is_settled, bool is_off_clock, double in_turn_ns, Json& final) {
  final["settled"] = is_settled;
  final["off_clock"] = is_off_clock;
  final["fastest_in_turn_ns"] = in_turn_ns > 0 ? Json(in_turn_ns) : Json(nullptr);
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

Json findings_json(const std::vector<tuner::explain::Finding>& findings) {
  Json out = Json::array();
  for (const tuner::explain::Finding& finding : findings)
    out.push_back({{"about", model::to_string(finding.about)},
                   {"rule", finding.rule},
                   {"from", finding.from},
                   {"text", finding.text},
                   {"next", finding.next.empty() ? Json(nullptr) : Json(finding.next)},
                   {"flaw", finding.is_flaw()}});
  return out;
}

std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json heading_json(const ReportInput& input) {
  return {{"schema_version", schema_version},   {"title", input.title}, {"command", input.command},
          {"generated_at", input.generated_at}, {"notes", input.notes}, {"runs", json_of(input.runs)}};
}

Json group_json(const EnvironmentGroup& group, const std::vector<ProblemSummary>& problems,
                const ReportInput& input) {
  Json out = {{"environment", json_of(group.environment)},
              {"ceilings", Json::array()},
              {"problems", Json::array()},
              {"failures", Json::object()}};
  for (const model::Ceiling& ceiling : input.ceilings)
    if (ceiling.device == group.environment.device) out["ceilings"].push_back(json_of(ceiling));
  for (const ProblemSummary& summary : problems) out["problems"].push_back(problem_json(summary, input));
  for (const FailureSummary& failure :
       failures(group.trials, tally_of({group.environment, {}}, input.unnamed)))
    out["failures"][std::string(model::to_string(failure.status))] = failure.count;
  return out;
}

Json report_trial_json(const TrialRecord& trial, const ReportInput& input) {
  const db::BestAnswer* answer = answer_of(input.answers, trial.problem, trial.environment);
  Json out =
      trial_json(trial, input.ceilings, answer != nullptr && answer->final ? &*answer->final : nullptr);
  if (const auto counted = input.counters.find(trial.key); counted != input.counters.end())
    for (const model::Counter& counter : counted->second) out["counters"][counter.metric] = counter.value;
  return out;
}

/// What is many stands on a line each, without blanks: indented it takes twice the room.
void to_json(const ReportInput& input, std::ostream& out) {
  std::string heading = json_text(heading_json(input));
  heading.replace(heading.rfind("\n}"), std::string::npos, ",\n  \"environments\": [");
  out << heading;
  const char* between = "\n";
  for (const EnvironmentGroup& group : by_environment(view(input.trials))) {
    const std::string about =
        db::json_line(group_json(group, by_problem(group.trials, input.answers), input));
    out << std::exchange(between, ",\n") << "    " << std::string_view(about).substr(0, about.size() - 1)
        << ",\"trials\":[";
    const char* behind = "\n";
    for_each_trial(input, &group.environment, [&](const TrialRecord& trial) {
      out << std::exchange(behind, ",\n") << db::json_line(report_trial_json(trial, input));
    });
    out << "]}";
  }
  out << "]\n}\n";
}

}  // namespace reports
