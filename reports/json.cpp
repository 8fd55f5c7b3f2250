#include <nlohmann/json.hpp>

#include "reports/findings.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"
#include "tuner/model/winner.hpp"

namespace reports {
namespace {

using Json = nlohmann::ordered_json;
using model::TrialRecord;

constexpr int schema_version = 2;

Json to_json(const model::Problem& problem) {
  Json sizes = Json::object();
  for (const model::Dimension& dimension : problem.sizes) sizes[dimension.name] = dimension.value;
  return {{"family", problem.family},
          {"sizes", std::move(sizes)},
          {"type", model::cuda_name(problem.type)},
          {"row_padding", problem.row_padding}};
}

Json to_json(const model::Environment& c) {
  return {
      {"device", c.device}, {"driver", c.driver}, {"toolkit", c.toolkit}, {"type", model::cuda_name(c.type)},
      {"l2", c.l2},         {"method", c.method}, {"inputs", c.inputs}};
}

Json to_json(const model::Dim3& d) {
  return Json::array({d.x, d.y, d.z});
}

Json to_json(const std::optional<model::Measurement>& measurement) {
  if (!measurement) return nullptr;
  const model::Measurement& m = *measurement;
  Json out = {{"median_ns", m.median_ns},
              {"low_ns", m.low_ns},
              {"high_ns", m.high_ns},
              {"min_ns", m.min_ns},
              {"launches_per_sample", m.launches_per_sample},
              {"includes_launch_latency", m.includes_launch_latency},
              {"sm_clock_mhz", nullptr},
              {"throttled_samples", m.throttled_samples},
              {"temperature_c", nullptr},
              {"power_w", nullptr},
              {"samples_ns", m.samples_ns}};
  if (m.sm_clock_mhz > 0) out["sm_clock_mhz"] = m.sm_clock_mhz;
  if (m.temperature_c > 0) out["temperature_c"] = m.temperature_c;
  if (m.power_w > 0) out["power_w"] = m.power_w;
  return out;
}

Json to_json(const std::optional<model::KernelResources>& resources) {
  if (!resources) return nullptr;
  return {{"registers", resources->registers},
          {"spill_store_bytes", resources->spill_store_bytes},
          {"spill_load_bytes", resources->spill_load_bytes},
          {"stack_bytes", resources->stack_bytes},
          {"static_shared_bytes", resources->static_shared_bytes}};
}

Json to_json(const std::optional<model::Occupancy>& occupancy) {
  if (!occupancy) return nullptr;
  return {{"fraction", occupancy->fraction},
          {"blocks_per_multiprocessor", occupancy->blocks_per_multiprocessor},
          {"limited_by", occupancy->limited_by}};
}

Json to_json(const std::optional<CeilingShare>& share) {
  if (!share) return nullptr;
  return {{"fraction", share->fraction}, {"ceiling", share->ceiling->kind}};
}

/// Operations and bytes a problem asks for; null where its spec does not say.
Json to_json(const model::Workload& workload) {
  const auto part = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
  return {{"operations", part(workload.operations)}, {"bytes", part(workload.bytes)}};
}

Json to_json(const model::Ceiling& ceiling) {
  return {{"kind", ceiling.kind},
          {"type", model::cuda_name(ceiling.type)},
          {"value", ceiling.value},
          {"trial", ceiling.trial.empty() ? Json(nullptr) : Json(ceiling.trial.hex())},
          {"measured_at", ceiling.measured_at}};
}

Json to_json(const model::FinalRecord* final) {
  if (final == nullptr) return nullptr;
  Json entries = Json::array();
  for (const model::FinalRecord::Entry& entry : final->entries) {
    entries.push_back({{"trial", entry.trial.hex()},
                       {"ratio", entry.ratio},
                       {"ratio_low", entry.ratio_low},
                       {"ratio_high", entry.ratio_high},
                       {"tied", entry.tied}});
  }
  return {{"chosen", final->chosen.hex()},     {"rule", model::final_rule},
          {"rounds", final->rounds},           {"throttled_rounds", final->throttled_rounds},
          {"measured_at", final->measured_at}, {"entries", std::move(entries)}};
}

Json to_json(const TrialRecord& trial, const std::vector<model::Ceiling>& ceilings) {
  const model::Verification& v = trial.outcome.verification;
  Json metrics = Json::object();
  for (const auto& [name, value] : trial.metrics) metrics[name] = value;
  return {{"trial", trial.key.hex()},
          {"kernel", trial.kernel},
          {"configuration", Json::parse(trial.configuration.json())},
          {"problem", to_json(trial.problem)},
          {"status", model::to_string(trial.outcome.status)},
          {"detail", trial.outcome.detail},
          {"role", model::to_string(trial.role)},
          {"is_default", trial.is_default},
          {"gpu", trial.gpu.empty() ? Json(nullptr) : Json(trial.gpu)},
          {"idea", trial.origin.empty() ? Json(nullptr) : Json(trial.origin)},
          {"approximate", is_approximate(trial)},
          {"measurement", to_json(trial.outcome.measurement)},
          {"metrics", std::move(metrics)},
          {"workload", to_json(trial.workload)},
          {"ceiling_share", to_json(ceiling_share(trial, ceilings))},
          {"grid", to_json(trial.grid)},
          {"block", to_json(trial.block)},
          {"dynamic_shared_bytes", trial.dynamic_shared_bytes},
          {"resources", to_json(trial.resources)},
          {"occupancy", to_json(trial.occupancy)},
          {"verified", v.checked},
          {"rule", v.rule.empty() ? Json(nullptr) : Json(v.rule)},
          {"error_ratio", v.checked ? Json(v.error_ratio) : Json(nullptr)},
          {"compile_ms", trial.compile_ms},
          {"compile_log", trial.compile_log},
          {"measured_at", trial.measured_at},
          {"run", trial.run.hex()}};
}

Json to_json(const ProblemSummary& summary) {
  const auto key = [](const TrialRecord* trial) {
    return trial == nullptr ? Json(nullptr) : Json(trial->key.hex());
  };
  Json tied = Json::array();
  for (const TrialRecord* trial : summary.tied) tied.push_back(key(trial));
  Json baselines = Json::array();
  for (const TrialRecord* baseline : summary.baselines) {
    if (summary.best == nullptr) continue;
    const auto ratio = model::baseline_ratio(*baseline, *summary.best, summary.final);
    baselines.push_back({{"name", baseline->kernel},
                         {"trial", key(baseline)},
                         {"library", baseline->outcome.detail},
                         {"ratio", ratio.ratio},
                         {"ratio_low", ratio.low},
                         {"ratio_high", ratio.high},
                         {"paired", ratio.paired}});
  }
  const std::optional<double> speedup = summary.speedup();
  return {{"problem", to_json(summary.problem)},
          {"best", key(summary.best)},
          {"approximate", summary.best != nullptr && is_approximate(*summary.best)},
          {"remeasured", summary.final != nullptr},
          {"fastest",
           summary.final != nullptr ? Json(summary.final->entries.front().trial.hex()) : key(summary.best)},
          {"tied_with", std::move(tied)},
          {"baselines", std::move(baselines)},
          {"final", to_json(summary.final)},
          {"newcomers", summary.newcomers},
          {"searched", searched_json(summary.searched)},
          {"default", key(summary.default_trial)},
          {"speedup_over_default", speedup ? Json(*speedup) : Json(nullptr)},
          {"slowest", key(summary.slowest)}};
}

Json to_json(const EnvironmentGroup& group, const ReportInput& input) {
  Json problems = Json::array();
  for (const ProblemSummary& summary : by_problem(group.trials, input.winners))
    problems.push_back(to_json(summary));
  Json failed = Json::object();
  for (const FailureSummary& failure : failures(group.trials)) {
    failed[std::string(model::to_string(failure.status))] = failure.count;
  }
  Json trials = Json::array();
  for (const TrialRecord* trial : group.trials) trials.push_back(to_json(*trial, input.ceilings));
  Json ceilings = Json::array();
  for (const model::Ceiling& ceiling : input.ceilings) {
    if (ceiling.device == group.environment.device) ceilings.push_back(to_json(ceiling));
  }
  return {{"class", to_json(group.environment)},
          {"ceilings", std::move(ceilings)},
          {"problems", std::move(problems)},
          {"failures", std::move(failed)},
          {"trials", std::move(trials)}};
}

Json to_json(const model::RunRecord& run) {
  return {{"run", run.id.hex()},
          {"command", run.command_line},
          {"started_at", run.started_at},
          {"ended_at", run.ended_at},
          {"state", run.state},
          {"version", run.version},
          {"strategy", run.strategy.empty() ? Json(nullptr) : Json(run.strategy)},
          {"seed", run.seed},
          {"device", run.device.name},
          {"architecture", run.device.architecture},
          {"driver", run.device.driver},
          {"toolkit", run.toolkit},
          {"measured", run.measured}};
}

}  // namespace

std::string to_json(const ReportInput& input) {
  Json runs = Json::array();
  for (const model::RunRecord& run : input.runs) runs.push_back(to_json(run));
  Json environments = Json::array();
  for (const EnvironmentGroup& group : by_environment(view(input.trials)))
    environments.push_back(to_json(group, input));
  const Json document = {
      {"schema_version", schema_version},   {"title", input.title}, {"command", input.command},
      {"generated_at", input.generated_at}, {"notes", input.notes}, {"runs", std::move(runs)},
      {"classes", std::move(environments)}};
  // Logs hold whatever a compiler wrote; a byte that is not UTF-8 must not cost the whole report.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace reports
