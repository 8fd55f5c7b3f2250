#include "tuner/cli/best_formats.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/numbers.hpp"

namespace tuner::cli {
namespace {

using Json = nlohmann::ordered_json;

Json configuration_json(const model::TrialRecord& trial) {
  Json out = Json::object();
  for (const model::Assignment& assignment : trial.configuration.assignments()) {
    if (assignment.value.is_word()) {
      out[assignment.name] = assignment.value.text();
    } else {
      out[assignment.name] = assignment.value.code();
    }
  }
  return out;
}

Json trial_json(const model::TrialRecord& trial) {
  Json out;
  out["id"] = trial.key.hex();
  out["kernel"] = trial.kernel;
  out["configuration"] = configuration_json(trial);
  if (const auto& measurement = trial.outcome.measurement) {
    out["median_ns"] = measurement->median_ns;
    out["low_ns"] = measurement->low_ns;
    out["high_ns"] = measurement->high_ns;
    out["includes_launch_latency"] = measurement->includes_launch_latency;
  }
  out["metrics"] = Json::object();
  for (const auto& [name, value] : trial.metrics) out["metrics"][name] = value;
  if (trial.resources) {
    out["registers"] = trial.resources->registers;
    out["spill_bytes"] = trial.resources->spill_store_bytes + trial.resources->spill_load_bytes;
    out["static_shared_bytes"] = trial.resources->static_shared_bytes;
  }
  out["dynamic_shared_bytes"] = trial.dynamic_shared_bytes;
  if (trial.occupancy) {
    out["occupancy"] = trial.occupancy->fraction;
    out["blocks_per_multiprocessor"] = trial.occupancy->blocks_per_multiprocessor;
    out["limited_by"] = trial.occupancy->limited_by;
  }
  out["block"] = {trial.block.x, trial.block.y, trial.block.z};
  out["grid"] = {trial.grid.x, trial.grid.y, trial.grid.z};
  out["error_ratio"] = trial.outcome.verification.error_ratio;
  return out;
}

Json class_json(const model::ComparisonClass& comparison) {
  return {{"device", comparison.device},   {"driver", comparison.driver},
          {"toolkit", comparison.toolkit}, {"type", std::string(model::cuda_name(comparison.type))},
          {"l2", comparison.l2},           {"method", comparison.method},
          {"inputs", comparison.inputs}};
}

Json answer_json(const db::BestAnswer& answer) {
  Json out;
  out["family"] = answer.contest.problem.family;
  out["size"] = answer.contest.problem.size_text();
  out["exact"] = answer.exact;
  out["log2_distance"] = answer.distance;
  out["wanted_device"] = answer.wanted_device;
  out["class"] = class_json(answer.contest.comparison_class);
  out["winner"] = trial_json(answer.winner);
  out["tied_count"] = answer.tied_count;
  out["tied"] = Json::array();
  for (const model::TrialRecord& tied : answer.tied) out["tied"].push_back(trial_json(tied));
  out["default"] = answer.untuned ? trial_json(*answer.untuned) : Json(nullptr);
  return out;
}

/// Name and value of each macro; a word's macro is defined by its vocabulary entry (PARTITION_row).
std::vector<std::pair<std::string, std::string>> macros(const model::TrialRecord& trial) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const model::Assignment& assignment : trial.configuration.assignments()) {
    if (assignment.value.is_word()) {
      const std::string word = assignment.name + "_" + assignment.value.text();
      out.emplace_back(word, fmt::format("{}", assignment.value.code()));
      out.emplace_back(assignment.name, word);
    } else {
      out.emplace_back(assignment.name, assignment.value.text());
    }
  }
  return out;
}

}  // namespace

std::string best_json(const std::vector<db::BestAnswer>& answers, const std::string& size) {
  Json out;
  out["schema_version"] = 1;
  out["size"] = size;
  out["answers"] = Json::array();
  for (const db::BestAnswer& answer : answers) out["answers"].push_back(answer_json(answer));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string best_header(const db::BestAnswer& answer) {
  const model::TrialRecord& winner = answer.winner;
  std::string out = fmt::format(
      "// {} for {} on {}: {}\n", winner.kernel, winner.problem.text(), winner.comparison_class.device,
      winner.outcome.measurement ? reports::time_text(winner.outcome.measurement->median_ns) : "");
  if (!answer.exact) out += "// measured at the nearest size known, not at the one asked for\n";
  out += "#pragma once\n";
  for (const auto& [name, value] : macros(winner)) out += fmt::format("#define {} {}\n", name, value);
  return out;
}

std::string best_flags(const db::BestAnswer& answer) {
  std::string out;
  for (const auto& [name, value] : macros(answer.winner)) {
    out += fmt::format("{}-D{}={}", out.empty() ? "" : " ", name, value);
  }
  return out;
}

}  // namespace tuner::cli
