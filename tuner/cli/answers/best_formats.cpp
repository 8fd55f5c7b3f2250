#include "tuner/cli/answers/best_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "reports/findings.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best_table.hpp"
#include "tuner/cli/answers/best_why.hpp"
#include "tuner/cli/answers/environment_choice.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/model/winner.hpp"

namespace tuner::cli::answers {

const char* to_string(SpecNote::State state) {
  switch (state) {
    case SpecNote::State::unknown:
      return "unknown";
    case SpecNote::State::unchanged:
      return "unchanged";
    case SpecNote::State::changed:
      return "changed";
    case SpecNote::State::widened:
      return "widened";
    case SpecNote::State::excluded:
      return "excluded";
    case SpecNote::State::unreadable:
      return "unreadable";
  }
  return "unknown";
}

std::string sentence(const SpecNote& note, const std::string& kernel) {
  switch (note.state) {
    case SpecNote::State::unknown:
    case SpecNote::State::unchanged:
      return "";
    case SpecNote::State::changed:
      return fmt::format("{} was edited since: {}, or a file that it names, is not what was measured", kernel,
                         note.path);
    case SpecNote::State::widened:
      return fmt::format("{} was edited since: {} has other lists or constraints than what was searched",
                         kernel, note.path);
    case SpecNote::State::excluded:
      return fmt::format("{} was edited since: {} excludes a configuration that is named here", kernel,
                         note.path);
    case SpecNote::State::unreadable:
      return fmt::format("{} was edited since: {} cannot be read as its spec any more", kernel, note.path);
  }
  return "";
}

Missing missing(const db::Unanswered& size, const std::string& kernel) {
  if (size.ended.empty())
    return {size.tuning_case, kernel.empty() ? "nothing was tried" : kernel + " was not tried"};
  std::vector<std::string> parts;
  std::int64_t trials = 0;
  for (const auto& [status, count] : size.ended) {
    trials += count;
    parts.push_back(fmt::format("{} {}", count, model::to_string(status)));
  }
  return {size.tuning_case,
          fmt::format("none of {} {}trial{} has a time: {}", trials, kernel.empty() ? "" : kernel + ' ',
                      trials == 1 ? "" : "s", fmt::join(parts, ", "))};
}

std::vector<std::string> missing_lines(const std::vector<Missing>& sizes) {
  std::set<model::Digest> environments;
  std::set<std::string> families;
  for (const Missing& size : sizes) {
    environments.insert(size.tuning_case.environment.key());
    families.insert(size.tuning_case.problem.family);
  }
  reports::LabelledTexts lines;
  for (const Missing& size : sizes) {
    const db::Case& tuning_case = size.tuning_case;
    std::string rest = size.reason;
    if (families.size() > 1) rest += " (" + tuning_case.problem.family + ")";
    if (environments.size() > 1) rest += fmt::format(" ({})", tuning_case.environment.text());
    reports::add_labelled(lines, size_label(tuning_case.problem), rest);
  }
  std::vector<std::string> out;
  for (const auto& [labels, rest] : lines) out.push_back(fmt::format("no answer at {}: {}", labels, rest));
  return out;
}

nlohmann::ordered_json missing_json(const std::vector<Missing>& sizes) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Missing& size : sizes) {
    out.push_back({{"family", size.tuning_case.problem.family},
                   {"size", size.tuning_case.problem.size_text()},
                   {"class", environment_json(size.tuning_case.environment)},
                   {"reason", size.reason}});
  }
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

Json entry_json(const model::FinalRecord::Entry& entry) {
  return {{"ratio", entry.ratio},
          {"ratio_low", entry.ratio_low},
          {"ratio_high", entry.ratio_high},
          {"tied", entry.tied}};
}

/// How it did in the answer's final: null where it took no part.
Json standing_json(const db::BestAnswer& answer, const model::TrialRecord& trial) {
  const auto* entry = answer.final ? model::entry_of(*answer.final, trial.key) : nullptr;
  return entry == nullptr ? Json(nullptr) : entry_json(*entry);
}

/// Null where it is 0, which stands for unknown.
Json known(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json final_json(const db::BestAnswer& answer) {
  if (!answer.final) return nullptr;
  const model::FinalRecord& final = *answer.final;
  Json entries = Json::array();
  for (const auto& entry : final.entries) {
    entries.push_back(entry_json(entry));
    entries.back()["trial"] = entry.trial.hex();
  }
  return {{"fastest", final.entries.front().trial.hex()},
          {"chosen", final.chosen.hex()},
          {"rule", model::final_rule},
          {"rounds", final.rounds},
          {"throttled_rounds", final.throttled_rounds},
          {"measured_at", final.measured_at},
          {"settled", !answer.check.is_unsettled()},
          {"fastest_in_turn_ns", known(answer.check.in_turn_ns)},
          {"entries", std::move(entries)}};
}

Json ceiling_json(const db::BestAnswer& answer, const model::TrialRecord& trial) {
  const auto share = reports::ceiling_share(trial, answer.ceilings);
  if (!share) return nullptr;
  return {{"fraction", share->fraction}, {"ceiling", share->ceiling->kind}};
}

Json baselines_json(const db::BestAnswer& answer) {
  Json out = Json::array();
  for (const model::TrialRecord& baseline : answer.baselines) {
    if (!baseline.outcome.measurement || !answer.winner.outcome.measurement) continue;
    const model::BaselineRatio ratio =
        model::baseline_ratio(baseline, answer.winner, answer.final ? &*answer.final : nullptr);
    out.push_back({{"name", baseline.kernel},
                   {"id", baseline.key.hex()},
                   {"library", baseline.outcome.detail},
                   {"median_ns", baseline.outcome.measurement->median_ns},
                   {"ratio", ratio.ratio},
                   {"ratio_low", ratio.low},
                   {"ratio_high", ratio.high},
                   {"paired", ratio.paired}});
  }
  return out;
}

Json answer_json(const db::BestAnswer& answer) {
  Json out = case_json(answer);
  out["chosen"] = false;
  out["settled"] = answer.settled;
  out["winner"] = trial_json(answer, answer.winner);
  out["approximate"] = answer.is_approximate();
  out["remeasured"] = answer.final.has_value();
  out["final"] = final_json(answer);
  Json newcomers = Json::object();
  for (const db::Newcomers& of_kernel : answer.newcomers) newcomers[of_kernel.kernel] = of_kernel.trials;
  out["newcomers"] = std::move(newcomers);
  out["dropped_near"] = answer.dropped_near;
  out["searched"] = reports::searched_json(answer.searched);
  out["tied_count"] = answer.tied_count;
  out["tied"] = Json::array();
  for (const model::TrialRecord& tied : answer.tied) out["tied"].push_back(trial_json(answer, tied));
  out["baselines"] = baselines_json(answer);
  out["default"] = answer.untuned ? trial_json(answer, *answer.untuned) : Json(nullptr);
  return out;
}

}  // namespace

Json environment_json(const model::Environment& comparison) {
  return {{"device", comparison.device},   {"driver", comparison.driver},
          {"toolkit", comparison.toolkit}, {"type", std::string(model::cuda_name(comparison.type))},
          {"l2", comparison.l2},           {"method", comparison.method},
          {"inputs", comparison.inputs}};
}

Json trial_json(const db::BestAnswer& answer, const model::TrialRecord& trial) {
  Json out;
  out["id"] = trial.key.hex();
  out["kernel"] = trial.kernel;
  out["configuration"] = Json::parse(trial.configuration.json());
  out["idea"] = trial.origin.empty() ? Json(nullptr) : Json(trial.origin);
  if (const auto& measurement = trial.outcome.measurement) {
    out["median_ns"] = measurement->median_ns;
    out["low_ns"] = measurement->low_ns;
    out["high_ns"] = measurement->high_ns;
    out["approximate"] = reports::is_approximate(trial);
    out["includes_launch_latency"] = measurement->includes_launch_latency;
    out["sm_clock_mhz"] = known(measurement->sm_clock_mhz);
    out["throttled_samples"] = measurement->throttled_samples;
    out["temperature_c"] = known(measurement->temperature_c);
    out["power_w"] = known(measurement->power_w);
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
  out["in_final"] = standing_json(answer, trial);
  out["ceiling_share"] = ceiling_json(answer, trial);
  out["verified"] = trial.outcome.verification.checked;
  out["rule"] = trial.outcome.verification.rule;
  out["error_ratio"] = trial.outcome.verification.error_ratio;
  return out;
}

Json case_json(const db::BestAnswer& answer) {
  Json out;
  out["family"] = answer.tuning_case.problem.family;
  out["size"] = answer.tuning_case.problem.size_text();
  out["exact"] = answer.exact;
  out["log2_distance"] = answer.distance;
  out["wanted_device"] = answer.wanted_device;
  out["class"] = environment_json(answer.tuning_case.environment);
  return out;
}

namespace {

Json json_of(const SpecNote& note) {
  Json out;
  out["path"] = note.path;
  out["declared_at"] = note.declared_at;
  out["host"] = note.host;
  out["state"] = to_string(note.state);
  out["measure"] = note.command.empty() ? Json() : Json(note.command);
  return out;
}

}  // namespace

std::string best_json(const std::vector<db::BestAnswer>& answers, const std::string& size,
                      const std::vector<SpecNote>& specs, const std::vector<Missing>& missing) {
  Json out;
  out["schema_version"] = 1;
  out["size"] = size;
  out["answers"] = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Json& answer = out["answers"].emplace_back(answer_json(answers[i]));
    if (!specs.empty()) answer["spec"] = specs[i].path.empty() ? Json() : json_of(specs[i]);
  }
  out["undecided"] = Json::array();
  for (const EnvironmentChoice& choice : choose_environments(answers)) {
    if (choice.chosen) {
      out["answers"][*choice.chosen]["chosen"] = true;
      out["answers"][*choice.chosen]["why_chosen"] = choice.why.empty() ? Json(nullptr) : Json(choice.why);
      continue;
    }
    const db::Case& tuning_case = answers[choice.answers.front()].tuning_case;
    out["undecided"].push_back({{"family", tuning_case.problem.family},
                                {"size", tuning_case.problem.size_text()},
                                {"why", choice.why}});
  }
  out["unanswered"] = missing_json(missing);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string best_comments(const db::BestAnswer& answer) {
  const model::TrialRecord& winner = answer.winner;
  std::string out =
      fmt::format("// {} for {} on {}: {}\n", winner.kernel, winner.problem.text(), winner.environment.device,
                  winner.outcome.measurement
                      ? approximate_mark(answer) + reports::time_text(winner.outcome.measurement->median_ns)
                      : "");
  if (reports::is_unverified(winner)) out += "// unverified: nobody looked at the results\n";
  if (!answer.exact) out += "// measured at the nearest size known, not at the one asked for\n";
  if (answer.is_approximate()) {
    out += fmt::format("// {}\n", approximate_text);
  } else if (answer.final) {
    out += fmt::format("// {}\n", remeasured_text(answer));
  } else {
    out += "// not re-measured after the race: the lowest of many medians, so optimistic\n";
  }
  return out;
}

}  // namespace tuner::cli::answers
