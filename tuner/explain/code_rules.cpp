// Rules on the machine code of the winner's kernel, mostly of its hot loop.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/explain/rule_parts.hpp"
#include "tuner/util/text.hpp"

namespace tuner::explain {
namespace {

using sass::Kind;
using sass::Mix;

/// `of 48 instructions in a turn of the hot loop`; of a kernel without a loop `of its 48 instructions`.
std::string of_hot(const sass::KernelCode& code) {
  return code.hottest() == nullptr
             ? fmt::format("of its {} instructions", code.mix.instructions)
             : fmt::format("of {} instructions in a turn of the hot loop", code.hot_mix().instructions);
}

double share_of(int count, const Mix& mix) {
  return mix.instructions > 0 ? static_cast<double>(count) / mix.instructions : 0;
}

/// Cycles that an FFMA of a warp takes of a scheduler.
double cycles_of_multiply_add(const sass::KernelCode& code) {
  return sass::reads_of_bank(code.architecture);
}

/// A bound on the share of the arithmetic ceiling, for people: with what the winner reaches of it. Nothing
/// where that is so far below that something else must bind it, or where nothing says how much arithmetic
/// there is to do and little of the code is.
std::optional<std::string> against(double bound, const Subject& subject) {
  constexpr double near = 0.5;
  constexpr double little = 0.25;
  const model::Ceiling* const ceiling = ceiling_of(subject, "arithmetic");
  const auto seconds = seconds_of(subject.winner.trial);
  const double operations = subject.winner.trial.workload.operations;
  if (ceiling == nullptr || !seconds || operations <= 0) {
    const Mix& mix = subject.winner.code->hot_mix();
    if (share_of(mix.count(Kind::multiply_add), mix) < little) return std::nullopt;
    return fmt::format("arithmetic can reach about {}", percent(bound));
  }
  const double reached = operations / *seconds / ceiling->value;
  if (reached < near * bound) return std::nullopt;
  return fmt::format("arithmetic can reach about {}; it reaches {}", percent(bound), percent(reached));
}

/// The hot loop calculates in FP32 without tensor cores: what its multiply-adds take of the issue slots
/// counts.
bool is_fp32_loop(const Side& side) {
  constexpr int least = 1;
  return side.code && side.code->hot_mix().count(Kind::multiply_add) >= least &&
         side.code->hot_mix().count(Kind::tensor) == 0;
}

/// How to have fewer instructions of a kind in a loop.
std::string next_of(Kind kind) {
  switch (kind) {
    case Kind::shared_load:
    case Kind::global_load:
      return "more results a thread, so that each loaded value serves several multiply-adds; wider loads";
    case Kind::integer:
    case Kind::uniform:
    case Kind::move:
      return "addresses that are worked out outside of the loop; more turns unrolled";
    case Kind::branch:
    case Kind::barrier:
      return "more turns unrolled, or more work between barriers";
    default:
      return "";
  }
}

}  // namespace

Findings find_spills(const Subject& subject) {
  const Side& winner = subject.winner;
  const int bytes = winner.trial.resources ? winner.trial.resources->spill_bytes() : 0;
  const std::string next =
      "fewer live values: a smaller tile a thread, less unrolling, or a larger register limit "
      "(__launch_bounds__)";
  if (!winner.code) {
    constexpr double unknown_share = 0.05;  // perhaps none of it is in a loop
    if (bytes == 0) return {};
    return {{.from = "resources",
             .text = fmt::format(
                 "it spills: a thread stores {} and loads {} bytes of registers, says the compiler",
                 winner.trial.resources->spill_store_bytes, winner.trial.resources->spill_load_bytes),
             .next = next,
             .weight = unknown_share}};
  }
  const Mix& mix = winner.code->hot_mix();
  const int spills = mix.spill_loads + mix.spill_stores;
  if (spills == 0) return {};
  return {{.text = fmt::format("{} {} are spills: {} loads and {} stores of registers ({})", spills,
                               of_hot(*winner.code), mix.spill_loads, mix.spill_stores,
                               percent(share_of(spills, mix))),
           .next = next,
           .weight = flaw(share_of(spills, mix))}};
}

Findings find_doubles(const Subject& subject) {
  const Side& winner = subject.winner;
  if (!winner.code || model::component_type(winner.trial.problem.type) == model::ElementType::float64)
    return {};
  const Mix& mix = winner.code->hot_mix();
  if (mix.doubles == 0) return {};
  return {{.text = fmt::format("{} {} calculate in FP64 or convert to or from it ({}), and its type is {}",
                               mix.doubles, of_hot(*winner.code), percent(share_of(mix.doubles, mix)),
                               cuda_name(winner.trial.problem.type)),
           .next = "constants with an f behind them, and functions like sqrtf in place of sqrt",
           .weight = flaw(share_of(mix.doubles, mix))}};
}

Findings find_unchanged_loads(const Subject& subject) {
  const Side& winner = subject.winner;
  if (!winner.code || winner.code->hottest() == nullptr) return {};
  const Mix& mix = winner.code->hot_mix();
  if (mix.unchanged_loads == 0) return {};
  const int loads = mix.count(Kind::global_load);
  return {{.text = fmt::format(
               "{} of {} loads from global memory in a turn of the hot loop have the address of "
               "the turn before ({})",
               mix.unchanged_loads, loads, percent(static_cast<double>(mix.unchanged_loads) / loads)),
           .next = "a local variable that is read before the loop and written behind it, or __restrict__",
           .weight = flaw(share_of(mix.unchanged_loads, mix))}};
}

Findings find_load_units(const Subject& subject) {
  constexpr double schedulers = 4;
  const Side& winner = subject.winner;
  if (!is_fp32_loop(winner)) return {};
  const Mix& mix = winner.code->hot_mix();
  const int accesses = memory_instructions(mix);
  const double at_once = schedulers / cycles_of_multiply_add(*winner.code);
  const double bound = accesses == 0 ? 1 : mix.count(Kind::multiply_add) / (at_once * accesses);
  const auto said = bound < 1 ? against(bound, subject) : std::nullopt;
  if (!said) return {};
  return {
      {.text = fmt::format(
           "a turn of the hot loop loads or stores {} times for {}; a multiprocessor begins one "
           "access a cycle and {:.0f} multiply-adds, so {}",
           accesses, util::counted(mix.count(Kind::multiply_add), "multiply-add"), at_once, *said),
       .next = "more results a thread, so that each loaded value serves several multiply-adds; wider loads",
       .weight = 1 - bound}};
}

Findings find_issue_slots(const Subject& subject) {
  constexpr double most = 0.95;
  constexpr double clearly = 0.05;
  const Side& winner = subject.winner;
  if (!is_fp32_loop(winner)) return {};
  const Mix& mix = winner.code->hot_mix();
  const int multiply_adds = mix.count(Kind::multiply_add);
  const double bound = std::min(
      1.0, multiply_adds * cycles_of_multiply_add(*winner.code) / (mix.instructions + mix.conflicts));
  const auto said = bound < most ? against(bound, subject) : std::nullopt;
  if (!said) return {};
  const sass::KindRow* largest = nullptr;  // of the others
  for (const sass::KindRow& row : sass::kinds())
    if (row.kind != Kind::multiply_add &&
        (largest == nullptr || mix.count(row.kind) > mix.count(largest->kind)))
      largest = &row;
  std::string others =
      fmt::format("the most frequent other is {} ({})", largest->figure.name, mix.count(largest->kind));
  std::ranges::replace(others, '_', ' ');
  const bool waits = mix.conflicts > clearly * multiply_adds;
  if (waits)
    others += fmt::format(", and {} multiply-adds wait a cycle for registers of one bank", mix.conflicts);
  return {
      {.text =
           fmt::format("{} {} are multiply-adds, {}: {}", multiply_adds, of_hot(*winner.code), others, *said),
       .next =
           waits ? "another shape of a thread's results, so that operands come from both banks or are reused"
                 : next_of(largest->kind),
       .weight = 1 - bound}};
}

}  // namespace tuner::explain
