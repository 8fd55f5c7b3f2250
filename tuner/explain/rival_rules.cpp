// What other trials say: in which figures the runner-up differs most, which parameters decide the time, and
// what a wrong value of them costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "tuner/explain/rule_parts.hpp"
#include "tuner/util/text.hpp"

namespace tuner::explain {
namespace {

/// A figure of both.
struct Both {
  std::string name;
  std::string from;
  double winner = 0;
  double other = 0;
  double apart() const {
    constexpr double none = 1e-9;
    if (winner == other) return 0;
    return std::abs(std::log(std::max(other, none) / std::max(winner, none)));
  }
};

void add_resources(const model::TrialRecord& winner, const model::TrialRecord& other, bool with_occupancy,
                   std::vector<Both>& out) {
  const auto add = [&](const char* name, double of_winner, double of_other) {
    out.push_back({name, "resources", of_winner, of_other});
  };
  if (with_occupancy && winner.occupancy && other.occupancy)
    add("warps on a multiprocessor", winner.occupancy->active_warps_per_multiprocessor,
        other.occupancy->active_warps_per_multiprocessor);
  if (winner.resources && other.resources) {
    add("registers a thread", winner.resources->registers, other.resources->registers);
    add("bytes spilled a thread", winner.resources->spill_bytes(), other.resources->spill_bytes());
  }
  if (winner.kernel == other.kernel) return;  // what follows is said by the values that differ
  if (winner.resources && other.resources) {
    const auto shared = [](const model::TrialRecord& trial) {
      constexpr double kib = 1024;
      return static_cast<double>(trial.resources->static_shared_bytes + trial.dynamic_shared_bytes) / kib;
    };
    add("KiB of shared memory a block", shared(winner), shared(other));
  }
  if (blocks_of(winner) > 0 && blocks_of(other) > 0) {
    add("blocks", static_cast<double>(blocks_of(winner)), static_cast<double>(blocks_of(other)));
    add("threads a block", static_cast<double>(threads_of(winner)), static_cast<double>(threads_of(other)));
  }
}

/// Of the hot loops, for each multiply-add: their turns do unlike work.
void add_instructions(const sass::KernelCode& winner, const sass::KernelCode& other, std::vector<Both>& out) {
  const sass::Mix& a = winner.hot_mix();
  const sass::Mix& b = other.hot_mix();
  if (a.multiply_adds <= 0 || b.multiply_adds <= 0) return;
  const auto add = [&](const char* name, int of_a, int of_b) {
    constexpr double hundred = 100;
    out.push_back({fmt::format("{} for 100 multiply-adds in the hot loop", name), "machine code",
                   hundred * of_a / a.multiply_adds, hundred * of_b / b.multiply_adds});
  };
  add("instructions", a.instructions, b.instructions);
  add("loads and stores", memory_instructions(a), memory_instructions(b));
}

void add_counters(const Side& winner, const Side& other, std::vector<Both>& out) {
  for (const model::Counter& counter : winner.counters) {
    const auto theirs = counted(other, {counter.metric});
    if (theirs && is_large_enough(winner, counter.metric, std::abs(*theirs - counter.value)))
      out.push_back({words_of(counter.metric), "counters", counter.value, *theirs});
  }
}

std::string changes(const model::TrialRecord& winner, const model::TrialRecord& other) {
  if (other.kernel != winner.kernel) return other.kernel;
  constexpr std::size_t most = 4;
  std::vector<std::string> parts;
  for (const model::Assignment& one : winner.configuration.assignments()) {
    const model::Value* const value = other.configuration.find(one.name);
    if (value != nullptr && *value != one.value)
      parts.push_back(fmt::format("{}={} in place of {}", one.name, value->text(), one.value.text()));
  }
  if (parts.size() > most) {
    const std::size_t left = parts.size() - most + 1;
    parts.resize(most - 1);
    parts.push_back(fmt::format("{} other values", left));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Findings find_rival(const Subject& subject) {
  if (!subject.runner_up) return {};
  constexpr double clearly = 0.1;  // in logarithms: a tenth
  constexpr std::size_t most = 4;
  const Side& winner = subject.winner;
  const Side& other = *subject.runner_up;
  const bool with_occupancy =
      is_specialised(winner, subject.device) == false && is_specialised(other, subject.device) == false;
  std::vector<Both> all;
  add_counters(winner, other, all);
  if (winner.code && other.code) add_instructions(*winner.code, *other.code, all);
  add_resources(winner.trial, other.trial, with_occupancy, all);
  std::erase_if(all, [](const Both& both) { return both.apart() < clearly; });
  std::ranges::stable_sort(all, std::greater{}, &Both::apart);
  if (all.size() > most) all.resize(most);
  const double slower = subject.runner_up_ratio - 1;
  std::vector<std::string> parts;
  for (const Both& both : all)
    parts.push_back(fmt::format("{} {} in place of {}", number(both.other), both.name, number(both.winner)));
  const std::string loses = slower < 0   ? percent(-slower) + " faster"  // tied, and another was chosen
                            : slower < 1 ? percent(slower) + " slower"
                                         : number(slower + 1) + " times slower";
  std::string text = fmt::format("{} ({}) is {}{}", other.trial.key.hex().substr(0, 7),
                                 changes(winner.trial, other.trial), subject.in_turn ? "" : "about ", loses);
  if (!parts.empty()) text += fmt::format(": it has {}", fmt::join(parts, ", "));
  return {{.from = all.empty() ? "trials" : all.front().from, .text = std::move(text), .weight = slower}};
}

namespace {

bool is_below(const model::Value& a, const model::Value& b) {
  const bool are_numbers = !a.is_word() && !b.is_word();
  return are_numbers ? a.code() < b.code() : a.text() < b.text();
}

/// The parameters that have several values, each with these.
struct Parameter {
  std::string name;
  std::vector<model::Value> values;
};

std::vector<Parameter> parameters_of(const Subject& subject) {
  std::vector<Parameter> all;
  for (const model::Assignment& one : subject.winner.trial.configuration.assignments()) {
    Parameter parameter{one.name, {}};
    for (const Timed& trial : subject.trials) {
      const model::Value* const value = trial.configuration.find(one.name);
      if (value != nullptr && std::ranges::find(parameter.values, *value) == parameter.values.end())
        parameter.values.push_back(*value);
    }
    std::ranges::sort(parameter.values, is_below);
    if (parameter.values.size() > 1) all.push_back(std::move(parameter));
  }
  return all;
}

std::vector<Observation> observations_of(const Subject& subject, const std::vector<Parameter>& parameters) {
  std::vector<Observation> all;
  for (const Timed& trial : subject.trials) {
    Observation one{{}, std::log(trial.ratio), trial.is_bound};
    for (const Parameter& parameter : parameters) {
      const model::Value* const value = trial.configuration.find(parameter.name);
      if (value == nullptr) break;
      one.values.push_back(
          static_cast<int>(std::ranges::find(parameter.values, *value) - parameter.values.begin()));
    }
    if (one.values.size() == parameters.size()) all.push_back(std::move(one));
  }
  return all;
}

/// `32: 18 %, 128: ~41 %`: the best that is known with each other value, against the winner.
std::string losses(const Subject& subject, const Parameter& parameter) {
  constexpr std::size_t most = 4;
  struct Least {
    double ratio = std::numeric_limits<double>::infinity();
    bool is_bound = false;
  };
  std::vector<std::pair<const model::Value*, Least>> all;
  const model::Value* const own = subject.winner.trial.configuration.find(parameter.name);
  for (const model::Value& value : parameter.values) {
    if (own != nullptr && value == *own) continue;
    Least least;
    for (const Timed& trial : subject.trials) {
      const model::Value* const its = trial.configuration.find(parameter.name);
      if (its != nullptr && *its == value && trial.ratio < least.ratio) least = {trial.ratio, trial.is_bound};
    }
    all.emplace_back(&value, least);
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second.ratio < b.second.ratio; });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [value, least] = all[i];
    const bool is_shown = i < most || i + 1 == all.size();
    if (is_shown) parts.push_back(fmt::format("{}: {}", value->text(), loss(least.ratio, least.is_bound)));
    if (i == most && !is_shown) parts.emplace_back("…");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Findings find_influence(const Subject& subject) {
  constexpr std::size_t least_trials = 20;  // fewer say nothing of a dozen parameters
  constexpr double least_foretold = 0.5;
  constexpr double least_share = 0.05;
  constexpr std::size_t most = 3;
  const std::vector<Parameter> parameters = parameters_of(subject);
  std::vector<Observation> observations = observations_of(subject, parameters);
  if (parameters.empty() || observations.size() < least_trials) return {};
  std::vector<int> levels;
  for (const Parameter& parameter : parameters) levels.push_back(static_cast<int>(parameter.values.size()));
  const auto bounds = std::ranges::count_if(observations, &Observation::is_bound);
  const std::size_t count = observations.size();
  const VarianceShares found = variance_shares(levels, std::move(observations));
  if (found.foretold < least_foretold) return {};
  Findings out;
  for (const VarianceShares::Share& share : found.shares) {
    if (share.share < least_share || out.size() == most) break;
    const Parameter& first = parameters[share.first];
    std::string text =
        share.is_pair()
            ? fmt::format(
                  "{} and {} together explain {} of the variance of log time, beside what each explains "
                  "alone",
                  first.name, parameters[share.second].name, percent(share.share))
            : fmt::format(
                  "{} explains {} of the variance of log time. With another value the best that is known "
                  "loses: {}",
                  first.name, percent(share.share), losses(subject, first));
    out.push_back({.text = std::move(text), .weight = share.share});
  }
  if (!out.empty()) {
    std::string trials = util::counted(static_cast<std::int64_t>(count), "trial");
    if (bounds > 0) trials += fmt::format(", {} of them lower bounds", bounds);
    out.front().text +=
        fmt::format(" ({}; {} of the variance is predicted)", trials, percent(found.foretold));
  }
  return out;
}

}  // namespace tuner::explain
