// What the runner-up lacks: the figures in which the two differ most.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

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

}  // namespace tuner::explain
