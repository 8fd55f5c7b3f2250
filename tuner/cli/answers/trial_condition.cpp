#include "tuner/cli/answers/trial_condition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/space/named_condition.hpp"

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

}  // namespace tuner::cli::answers
