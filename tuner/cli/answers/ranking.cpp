#include "tuner/cli/answers/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "reports/findings.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using Value = std::optional<model::Value>;

using Figure = std::pair<const char*, Value>;

/// What is worked out of a trial, beside its parameters.
std::array<Figure, 7> figures_of(const model::TrialRecord& trial) {
  const auto& resources = trial.resources;
  const auto& measurement = trial.outcome.measurement;
  const auto number = [](bool is_known, const auto& of) {
    return is_known ? Value(static_cast<std::int64_t>(of())) : std::nullopt;
  };
  return {
      Figure{"registers",
             number(resources && resources->registers > 0, [&] { return resources->registers; })},
      {"spill_bytes", number(resources.has_value(), [&] { return resources->spill_bytes(); })},
      {"shared_bytes", number(resources.has_value(),
                              [&] { return resources->static_shared_bytes + trial.dynamic_shared_bytes; })},
      {"block_threads",
       number(true, [&] { return std::int64_t{trial.block.x} * trial.block.y * trial.block.z; })},
      {"occupancy", number(trial.occupancy.has_value(),
                           [&] { return std::floor(trial.occupancy->fraction * 100 + 1e-9); })},
      {"time_us", number(measurement.has_value(), [&] { return measurement->median_ns / 1000; })},
      {"energy_uj",
       number(trial.outcome.energy.has_value(), [&] { return trial.outcome.energy->mean_j * 1e6; })}};
}

/// A trial by the names that a condition has for what it is: parameters, else figures, else what was counted.
struct NamedValues {
  NamedValues(const model::TrialRecord& of, const std::map<std::string, model::Value>& counters)
      : trial(&of) {
    for (const model::Assignment& assignment : of.configuration.assignments())
      values.emplace(assignment.name, assignment.value);
    for (const auto& [name, value] : figures_of(of))
      if (value) values.emplace(name, *value);
    for (const auto& [name, value] : counters) counted.insert(name);
    values.insert(counters.begin(), counters.end());
  }
  /// In the order of `names`.
  std::vector<model::Value> values_for(const std::vector<space::ConditionName>& names) const {
    std::vector<model::Value> out;
    for (const space::ConditionName& name : names) {
      const auto found = values.find(name.name);
      out.push_back(found == values.end() ? model::Value() : found->second);
    }
    return out;
  }

  const model::TrialRecord* trial;
  std::map<std::string, model::Value> values;
  std::set<std::string> counted;
};

/// The names of one kernel's trials: its parameters, then the figures, then what was counted of any.
std::vector<space::ConditionName> names_of(const std::vector<NamedValues>& trials) {
  std::vector<space::ConditionName> names;
  for (const model::Assignment& assignment : trials.front().trial->configuration.assignments()) {
    space::ConditionName& name = names.emplace_back();
    name.name = assignment.name;
    for (const NamedValues& trial : trials) {
      const model::Value* value = trial.trial->configuration.find(assignment.name);
      if (value == nullptr || !value->is_word()) continue;
      const std::string word = value->text();
      if (std::ranges::find(name.words, word) == name.words.end()) name.words.push_back(word);
    }
  }
  for (const Figure& figure : figures_of(*trials.front().trial)) names.push_back({figure.first});
  std::set<std::string> counted;
  for (const NamedValues& trial : trials) counted.insert(trial.counted.begin(), trial.counted.end());
  for (const std::string& name : counted) names.push_back({name});
  return names;
}

/// The trials of one kernel, and what a condition may name there.
struct KernelTrials {
  bool has(const std::string& name) const {
    return std::ranges::find(names, name, &space::ConditionName::name) != names.end();
  }
  /// Adds those that meet the condition to `kept`. What asks for one of the names `used` that a trial has not
  /// does not hold.
  void keep(const std::string& condition, const std::vector<std::string>& used,
            std::set<const model::TrialRecord*>& kept) const {
    std::map<std::vector<std::string>, space::NamedCondition> conditions;  // by the names that are none
    for (const NamedValues& trial : trials) {
      std::vector<std::string> none;
      for (const std::string& name : used)
        if (!has(name) || !trial.values.contains(name)) none.push_back(name);
      auto known = conditions.find(none);
      if (known == conditions.end())
        known = conditions.emplace(none, space::NamedCondition(condition, names, none)).first;
      if (known->second.holds(trial.values_for(names))) kept.insert(trial.trial);
    }
  }

  std::vector<NamedValues> trials;
  std::vector<space::ConditionName> names;
};

/// Gives each kernel's names the words that any kernel has for them. Returns all names.
std::set<std::string> share_words(std::map<std::string, KernelTrials>& by_kernel) {
  std::map<std::string, std::set<std::string>> words;
  std::set<std::string> all;
  for (const auto& [kernel, of] : by_kernel)
    for (const space::ConditionName& name : of.names) {
      all.insert(name.name);
      words[name.name].insert(name.words.begin(), name.words.end());
    }
  for (auto& [kernel, of] : by_kernel)
    for (space::ConditionName& name : of.names)
      if (!name.words.empty()) name.words = {words[name.name].begin(), words[name.name].end()};
  return all;
}

}  // namespace

TrialCondition::TrialCondition(std::string text, const std::vector<db::StoredCounter>& counters)
    : m_text(std::move(text)) {
  constexpr double most = 9e18;  // of what an integer holds
  for (const db::StoredCounter& stored : counters) {
    std::string name = stored.counter.metric;
    std::ranges::replace(name, '.', '_');
    const double value = std::clamp(std::floor(stored.counter.value), -most, most);
    m_counters[stored.trial][name] = model::Value(static_cast<std::int64_t>(value));
  }
}

void TrialCondition::keep(db::Ranking& ranking) const {
  if (empty()) return;
  const std::vector<std::string> used = space::names_in(m_text);
  std::map<std::string, KernelTrials> by_kernel;
  for (const db::Ranked& one : ranking) {
    const auto counters = m_counters.find(one.trial.key);
    by_kernel[one.trial.kernel].trials.emplace_back(
        one.trial, counters == m_counters.end() ? std::map<std::string, model::Value>() : counters->second);
  }
  for (auto& [kernel, of] : by_kernel) of.names = names_of(of.trials);
  const std::set<std::string> known = share_words(by_kernel);
  std::set<const model::TrialRecord*> kept;
  std::optional<model::UsageError> mistake;
  bool fits_one = false;
  for (const auto& [kernel, of] : by_kernel) {
    std::vector<std::string> of_others;
    for (const std::string& name : used)
      if (known.contains(name) && !of.has(name)) of_others.push_back(name);
    try {
      const space::NamedCondition condition(m_text, of.names, of_others);  // names no trial has are refused
      fits_one = fits_one || of_others.empty();
      of.keep(m_text, used, kept);
    } catch (const model::UsageError& error) {
      if (of_others.empty() || !mistake) mistake = error;
    }
  }
  if (mistake && !fits_one) throw model::UsageError(*mistake);
  // Each is asked about where it stood, before those behind it move up.
  std::erase_if(ranking, [&](const db::Ranked& one) { return !kept.contains(&one.trial); });
}

namespace {

using reports::Align;

std::string standing_cell(const db::Ranked& ranked) {
  if (!ranked.in_final) return fmt::format("~{:.3f}", ranked.ratio);
  if (ranked.ratio_low == ranked.ratio_high) return fmt::format("{:.3f}", ranked.ratio);
  return reports::ratio_interval_text(ranked.ratio, ranked.ratio_low, ranked.ratio_high);
}

/// A letter for each of the bits that trials give, `A` for those of the first.
class BitsLetters {
 public:
  std::string of(const model::TrialRecord& trial) {
    const auto& bits = trial.outcome.output_bits;
    if (!bits) return "";
    auto known = std::ranges::find(m_seen, *bits);
    if (known == m_seen.end()) known = m_seen.insert(m_seen.end(), *bits);
    const auto place = static_cast<std::size_t>(known - m_seen.begin());
    return place < 26 ? std::string(1, static_cast<char>('A' + place)) : fmt::format("{}", place + 1);
  }

 private:
  std::vector<model::OutputBits> m_seen;
};

std::string case_text(const RankedCase& tuning_case, const Style& style) {
  reports::Trials trials;
  std::vector<std::pair<std::string, const model::TrialRecord*>> labelled;
  for (const db::Ranked& one : tuning_case.trials) {
    trials.push_back(&one.trial);
    labelled.emplace_back(style.id(one.trial.key), &one.trial);
  }
  const std::string metric = reports::first_metric(trials);
  const Common common(trials);
  const auto make = [&](bool with_configurations) {  // what has no cells is not shown
    reports::Table table({{"trial"},
                          {"kernel"},
                          {"configuration"},
                          {"median", Align::right},
                          {metric, Align::right, false, 3},
                          {"time / fastest", Align::right},
                          {"energy", Align::right, false, 4},
                          {"per watt", Align::right, false, 3},
                          {"registers", Align::right, false, 2},
                          {"occupancy", Align::right, false, 1},
                          {"bits", Align::left, false, 1}});
    BitsLetters letters;
    for (const db::Ranked& one : tuning_case.trials) {
      const model::TrialRecord& trial = one.trial;
      const std::string mark = reports::is_approximate(trial) ? "~" : "";
      table.add_row({style.id(trial.key), common.has_one_kernel() ? "" : trial.kernel,
                     with_configurations ? common.rest(trial) : "", reports::marked_time(trial),
                     metric.empty() ? "" : mark + metric_text(trial, metric), standing_cell(one),
                     trial.outcome.energy ? reports::energy_text(*trial.outcome.energy) : "",
                     reports::per_watt_text(trial), reports::registers_text(trial),
                     trial.occupancy ? reports::percent_text(trial.occupancy->fraction) : "",
                     letters.of(trial)});
    }
    return table;
  };
  std::string text = common.table(make, labelled, style.columns);
  if (tuning_case.left_out > 0)
    text +=
        fmt::format("{} more {} not shown\n", tuning_case.left_out, tuning_case.left_out == 1 ? "is" : "are");
  return text;
}

}  // namespace

std::string ranking_text(const std::vector<RankedCase>& cases, const Style& style) {
  std::string text;
  bool raced = false, dropped = false, has_latency = false, has_bits = false;
  for (const RankedCase& tuning_case : cases) {
    if (!text.empty()) text += '\n';
    text += style.wrapped(fmt::format("{} {}: {}", tuning_case.answer.problem().family,
                                      reports::size_label(tuning_case.answer.problem()),
                                      tuning_case.answer.environment().text()));
    text += tuning_case.trials.empty() ? "no trial that may be used\n" : case_text(tuning_case, style);
    for (const db::Ranked& one : tuning_case.trials) {
      raced = raced || !one.in_final;
      dropped = dropped || reports::is_approximate(one.trial);
      has_latency = has_latency || reports::has_latency(one.trial);
      has_bits = has_bits || one.trial.outcome.output_bits;
    }
  }
  if (raced)
    text += style.wrapped(fmt::format("~ by their medians: not sampled in turn with the fastest{}",
                                      dropped ? "; before a time: dropped early, so approximate" : ""));
  if (has_latency) text += style.wrapped(reports::latency_meaning);
  if (has_bits) text += "bits: trials of one letter give the same\n";
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
