// What to try next: beyond a list, beyond a constraint, below a limit of occupancy.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/explain/rule_parts.hpp"
#include "tuner/util/text.hpp"

namespace tuner::explain {
namespace {

constexpr double clearly = 1.01;

/// The timed trial that differs from the winner in this value alone; null where there is none.
const Timed* with_alone(const Subject& subject, const std::string& parameter, const model::Value& value) {
  model::Configuration wanted = subject.winner.trial.configuration;
  const auto& assignments = wanted.assignments();
  const auto at = std::ranges::find(assignments, parameter, &model::Assignment::name);
  if (at == assignments.end()) return nullptr;
  wanted.set(static_cast<std::size_t>(at - assignments.begin()), value);
  const auto found = std::ranges::find(subject.trials, wanted, &Timed::configuration);
  return found == subject.trials.end() ? nullptr : &*found;
}

/// The numbers that were tried of a parameter, or that its spec lists, ascending.
std::vector<std::int64_t> numbers_of(const Subject& subject, const std::string& parameter) {
  std::vector<std::int64_t> all;
  const auto add = [&](const model::Value* value) {
    if (value != nullptr && !value->is_word()) all.push_back(value->code());
  };
  for (const Timed& trial : subject.trials) add(trial.configuration.find(parameter));
  for (const Listed& listed : subject.listed)
    if (listed.parameter == parameter)
      for (const model::Value& value : listed.values) add(&value);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

bool is_listed(const Subject& subject, const std::string& parameter) {
  return std::ranges::find(subject.listed, parameter, &Listed::parameter) != subject.listed.end();
}

/// The trial with the next value towards the winner's from the other side; null where there is none that is
/// clearly slower.
const Timed* slower_before(const Subject& subject, const std::string& parameter, std::int64_t before) {
  const Timed* const trial = with_alone(subject, parameter, model::Value(before));
  return trial != nullptr && trial->ratio > clearly ? trial : nullptr;
}

}  // namespace

Findings find_ends(const Subject& subject) {
  constexpr std::size_t least_values = 3;
  Findings found;
  for (const model::Assignment& one : subject.winner.trial.configuration.assignments()) {
    if (one.value.is_word()) continue;
    const std::vector<std::int64_t> numbers = numbers_of(subject, one.name);
    const std::int64_t own = one.value.code();
    if (numbers.size() < least_values || (own != numbers.front() && own != numbers.back())) continue;
    const bool is_largest = own == numbers.back();
    if (!is_largest && own <= 1) continue;  // nothing lies below
    const std::int64_t most = subject.device ? subject.device->limits.max_threads_per_block : 0;
    const bool is_full = most > 0 && threads_of(subject.winner.trial) == most;
    if (is_largest && is_full && (own == most || own * own == most)) continue;  // nor beyond this
    const std::int64_t before = is_largest ? numbers[numbers.size() - 2] : numbers[1];
    const Timed* const slower = slower_before(subject, one.name, before);
    if (slower == nullptr) continue;
    found.push_back(
        {.text = fmt::format("{}={} is the {} of its values{} ({}), and {} alone costs {}", one.name, own,
                             is_largest ? "largest" : "smallest",
                             is_listed(subject, one.name) ? "" : " that were tried", fmt::join(numbers, ", "),
                             before, loss(slower->ratio, slower->is_bound)),
         .next = fmt::format("a {} value of {}", is_largest ? "larger" : "smaller", one.name),
         .weight = slower->ratio - 1});
  }
  return found;
}

Findings find_constraints(const Subject& subject) {
  constexpr std::size_t most = 60;  // columns of a constraint
  Findings found;
  for (const Listed& listed : subject.listed) {
    const model::Value* const own = subject.winner.trial.configuration.find(listed.parameter);
    if (own == nullptr || own->is_word()) continue;
    const std::vector<std::int64_t> numbers = numbers_of(subject, listed.parameter);
    const auto at = std::ranges::find(numbers, own->code());
    for (const Listed::Barred& barred : listed.barred) {
      if (barred.value.is_word() || at == numbers.begin() || at + 1 >= numbers.end()) continue;
      const bool is_next = barred.value.code() == *(at + 1);
      if (!is_next && barred.value.code() != *(at - 1)) continue;
      const bool was_timed = std::ranges::any_of(subject.trials, [&](const Timed& trial) {
        const model::Value* const value = trial.configuration.find(listed.parameter);
        return value != nullptr && *value == barred.value;
      });
      const std::int64_t before = is_next ? *(at - 1) : *(at + 1);
      const Timed* const slower = slower_before(subject, listed.parameter, before);
      if (was_timed || slower == nullptr) continue;
      found.push_back(
          {.text = fmt::format("{} has a value {} that nothing timed has: `{}` keeps it from the winner. "
                               "On the other side {} costs {}",
                               listed.parameter, barred.value.text(),
                               util::one_line(util::trimmed(barred.by), most), before,
                               loss(slower->ratio, slower->is_bound)),
           .next = fmt::format("a constraint that lets {}={} through", listed.parameter, barred.value.text()),
           .weight = slower->ratio - 1});
    }
  }
  return found;
}

Findings find_occupancy(const Subject& subject) {
  constexpr int most_registers = 16;
  constexpr double most_shared = 0.125;
  constexpr double half = 0.5;
  const model::TrialRecord& trial = subject.winner.trial;
  if (!subject.occupancy || !trial.resources || !trial.occupancy || trial.occupancy->fraction > half)
    return {};
  if (is_specialised(subject.winner, subject.device) != false) return {};
  // More blocks need blocks that wait for a place.
  const int places = subject.device ? subject.device->limits.multiprocessors : 0;
  const int now = trial.occupancy->blocks_per_multiprocessor;
  if (places <= 0 || blocks_of(trial) <= static_cast<std::int64_t>(places) * now) return {};
  const auto text = [&](const std::string& less, const std::string& what, const model::Occupancy& then) {
    return fmt::format(
        "{} leave a multiprocessor {} of its blocks ({} of its warps); {} less would let {} in ({})", what,
        now, percent(trial.occupancy->fraction), less, then.blocks_per_multiprocessor,
        percent(then.fraction));
  };
  Findings found;
  for (int less = 1; less <= most_registers && less < trial.resources->registers; ++less) {
    model::KernelResources resources = *trial.resources;
    resources.registers -= less;
    const auto then = subject.occupancy(resources, trial.dynamic_shared_bytes);
    if (!then || then->blocks_per_multiprocessor <= now) continue;
    found.push_back(
        {.text = text(fmt::format("{} register{}", less, less == 1 ? "" : "s"),
                      fmt::format("its {} registers a thread", trial.resources->registers), *then),
         .next = fmt::format("__launch_bounds__({}, {})", threads_of(trial), then->blocks_per_multiprocessor),
         .weight = 1.0 / (now + less)});
    break;
  }
  const std::int64_t shared = trial.resources->static_shared_bytes + trial.dynamic_shared_bytes;
  constexpr std::int64_t step = 128;
  for (std::int64_t less = step; less <= static_cast<std::int64_t>(most_shared * static_cast<double>(shared));
       less += step) {
    model::KernelResources resources = *trial.resources;
    const std::int64_t of_static = std::min<std::int64_t>(less, resources.static_shared_bytes);
    resources.static_shared_bytes -= static_cast<int>(of_static);
    const auto then = subject.occupancy(resources, trial.dynamic_shared_bytes - (less - of_static));
    if (!then || then->blocks_per_multiprocessor <= now) continue;
    found.push_back({.text = text(fmt::format("{} bytes", less),
                                  fmt::format("its {} bytes of shared memory a block", shared), *then),
                     .next = "a smaller stage or less padding in shared memory",
                     .weight = 1.0 / (now + 1)});
    break;
  }
  return found;
}

}  // namespace tuner::explain
