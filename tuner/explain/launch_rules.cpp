// Rules on where a trial stands below what its device can do, and on how its launch fills the device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/explain/rule_parts.hpp"
#include "tuner/util/text.hpp"

namespace tuner::explain {
namespace {

constexpr double schedulers = 4;  ///< of a multiprocessor, since sm_70; sm_60 had two

int multiprocessors(const Subject& subject) {
  return subject.device ? subject.device->limits.multiprocessors : 0;
}

/// A rate against a ceiling: `48.1 T of 65.8 Top/s (73 %)`.
struct Reach {
  const model::Ceiling* ceiling = nullptr;
  double rate = 0;
  double share() const { return ceiling == nullptr ? 0 : rate / ceiling->value; }
  /// What it is of, for people.
  std::string name() const {
    return ceiling->kind == "l2" ? "the L2 cache, where the data stays," : ceiling->kind;
  }
  std::string text() const {
    return fmt::format("{} of {} {} ({})", number(rate), number(ceiling->value),
                       ceiling->kind == "arithmetic" ? "op/s" : "B/s", percent(share()));
  }
};

Reach reach_of(const Subject& subject, const model::Ceiling* ceiling, double work) {
  const auto seconds = seconds_of(subject.winner.trial);
  if (!seconds || work <= 0) return {};
  return {ceiling, work / *seconds};
}

Reach arithmetic_of(const Subject& subject) {
  return reach_of(subject, ceiling_of(subject, "arithmetic"), subject.winner.trial.workload.operations);
}

Reach memory_of(const Subject& subject) {
  const model::TrialRecord& trial = subject.winner.trial;
  return reach_of(subject, bytes_ceiling_of(trial, subject.ceilings), trial.workload.bytes);
}

/// Blocks that run at once wait for each other only where the multiprocessors themselves are busy.
bool is_busy_with_arithmetic(const Subject& subject) {
  constexpr double busy = 0.3;
  const Reach arithmetic = arithmetic_of(subject);
  return arithmetic.share() >= busy && arithmetic.share() >= memory_of(subject).share();
}

constexpr double at_limit = 0.9;

bool is_busy(const Subject& subject, std::string_view pipe) {
  constexpr double hundred = 100;
  return counted(subject.winner, {pipe}).value_or(0) >= at_limit * hundred;
}

}  // namespace

bool is_device_at_limit(const Subject& subject) {
  return arithmetic_of(subject).share() >= at_limit || memory_of(subject).share() >= at_limit ||
         is_busy(subject, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
}

bool is_at_limit(const Subject& subject) {
  return is_device_at_limit(subject) ||
         is_busy(subject, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active") ||
         is_busy(subject, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active");
}

Findings find_ceiling(const Subject& subject) {
  constexpr double bound = 0.8;
  constexpr double near = 0.3;
  constexpr double nothing = 0.01;
  const Reach arithmetic = arithmetic_of(subject);
  const Reach memory = memory_of(subject);
  const bool is_arithmetic = arithmetic.share() >= memory.share();
  const Reach& nearer = is_arithmetic ? arithmetic : memory;
  const Reach& other = is_arithmetic ? memory : arithmetic;
  if (nearer.share() < nothing) return {};
  std::string text;
  if (nearer.share() >= bound) {
    text = fmt::format("{} binds it: {}", nearer.name(), nearer.text());
    if (nearer.share() < 1) text += fmt::format(", so at most {} are left", percent(1 - nearer.share()));
  } else {
    const bool is_each_known = arithmetic.ceiling != nullptr && memory.ceiling != nullptr;
    text =
        fmt::format("{}{} reaches {}", nearer.share() < near && is_each_known ? "no ceiling is near: " : "",
                    nearer.name(), nearer.text());
  }
  if (other.share() >= nothing) text += fmt::format("; {} reaches {}", other.name(), other.text());
  const model::TrialRecord& trial = subject.winner.trial;
  if (trial.workload.operations > 0 && arithmetic.ceiling == nullptr)
    text += fmt::format("; the arithmetic ceiling of {} was not measured", cuda_name(trial.problem.type));
  const double weight = nearer.share() >= bound ? std::min(nearer.share(), 1.0) : nearer.share() / 2;
  return {{.text = std::move(text), .weight = weight}};
}

Findings find_launch(const Subject& subject) {
  constexpr double least = 0.3;
  const model::Ceiling* const empty = ceiling_of(subject, "launch");
  const auto seconds = seconds_of(subject.winner.trial);
  if (empty == nullptr || !seconds || empty->value < least * *seconds) return {};
  const double share = std::min(1.0, empty->value / *seconds);
  return {{.text = fmt::format("an empty launch takes {} of its {}: {}", duration(empty->value),
                               duration(*seconds), percent(share)),
           .next = "more work in a launch: several problems at once, or this step in the kernel before it",
           .weight = share}};
}

Findings find_few_blocks(const Subject& subject) {
  const int places = multiprocessors(subject);
  const std::int64_t blocks = blocks_of(subject.winner.trial);
  if (places <= 0 || blocks <= 0 || blocks >= places || is_device_at_limit(subject)) return {};
  const double idle = 1 - static_cast<double>(blocks) / places;
  if (idle < 0.05) return {};
  return {{.text = fmt::format("its {} leave{} {} of {} multiprocessors idle ({})",
                               util::counted(blocks, "block"), blocks == 1 ? "s" : "", places - blocks,
                               places, percent(idle)),
           .next = "more blocks: smaller tiles, or a loop that is shared between blocks",
           .weight = flaw(idle)}};
}

Findings find_few_warps(const Subject& subject) {
  const model::TrialRecord& trial = subject.winner.trial;
  const int places = multiprocessors(subject);
  const std::int64_t blocks = blocks_of(trial);
  if (places <= 0 || blocks <= 0 || !trial.occupancy) return {};
  if (is_specialised(subject.winner, subject.device) == true) return {};
  const auto resident =
      std::min<std::int64_t>(trial.occupancy->blocks_per_multiprocessor, (blocks + places - 1) / places);
  const auto warps = static_cast<double>(resident * warps_of(trial));
  if (warps <= 0 || warps >= schedulers) return {};
  return {{.text = fmt::format("a multiprocessor has {:.0f} of its warps for {:.0f} schedulers, so {} of the "
                               "issue slots stay empty",
                               warps, schedulers, percent(1 - warps / schedulers)),
           .next = "more threads in a block, or more blocks on a multiprocessor",
           .weight = flaw(1 - warps / schedulers)}};
}

Findings find_tail(const Subject& subject) {
  constexpr double least = 0.1;
  const model::TrialRecord& trial = subject.winner.trial;
  const int places = multiprocessors(subject);
  const std::int64_t blocks = blocks_of(trial);
  if (places <= 0 || blocks < places || !trial.occupancy) return {};
  const std::int64_t most = (blocks + places - 1) / places;  // of a multiprocessor
  const double lost = 1 - static_cast<double>(blocks) / static_cast<double>(most * places);
  if (lost < least) return {};
  const std::int64_t at_once =
      static_cast<std::int64_t>(places) * std::max(1, trial.occupancy->blocks_per_multiprocessor);
  if (blocks <= at_once && !is_busy_with_arithmetic(subject)) return {};
  const std::int64_t last = (blocks - 1) % at_once + 1;
  std::string waves;
  if (blocks > at_once) waves = fmt::format("; {} run at once, and the last wave has {}", at_once, last);
  const std::int64_t with_most = blocks - (most - 1) * places;
  return {
      {.text = fmt::format("its {} blocks give {} of {} multiprocessors {} and the others {}{}: if all take "
                           "alike, {} of the device stays idle",
                           blocks, with_most, places, most, most - 1, waves, percent(lost)),
       .next =
           fmt::format("tiles that make a multiple of {} blocks, or that few blocks take in turn", places),
       .weight = flaw(lost)}};
}

}  // namespace tuner::explain
