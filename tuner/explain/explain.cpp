#include "tuner/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/explain/rule_parts.hpp"

namespace tuner::explain {
namespace {

constexpr std::array table = {
    Rule{"uncoalesced", About::binds, "counters", "sectors a request of global memory, against its width",
         find_uncoalesced},
    Rule{"bank conflicts", About::binds, "counters", "wavefronts of shared memory that are conflicts",
         find_bank_conflicts},
    Rule{"divergence", About::binds, "counters", "threads that take part in an instruction", find_divergence},
    Rule{"spills", About::binds, "machine code",
         "spilled registers in the hot loop, else what the compiler says", find_spills},
    Rule{"doubles", About::binds, "machine code", "FP64 in the hot loop of a kernel of another type",
         find_doubles},
    Rule{"redundant loads", About::binds, "machine code", "loads whose address their loop does not change",
         find_unchanged_loads},
    Rule{"redundant traffic", About::binds, "counters", "bytes of DRAM against those that the problem moves",
         find_traffic},
    Rule{"few blocks", About::binds, "launch", "blocks against multiprocessors", find_few_blocks},
    Rule{"few warps", About::binds, "launch", "warps of a multiprocessor against its schedulers",
         find_few_warps},
    Rule{"tail", About::binds, "launch", "the last blocks, when most multiprocessors have none", find_tail},
    Rule{"launch", About::binds, "ceilings", "the time against that of an empty launch", find_launch},
    Rule{"ceiling", About::binds, "ceilings", "operations and bytes a second against measured ceilings",
         find_ceiling},
    Rule{"busy pipe", About::binds, "counters",
         "issue slots, tensor and FMA pipes, DRAM in percent of their peak", find_busy_pipe},
    Rule{"stalls", About::binds, "counters", "warps that wait, by reason", find_stalls},
    Rule{"load units", About::binds, "machine code", "loads and stores by multiply-adds in the hot loop",
         find_load_units},
    Rule{"issue slots", About::binds, "machine code",
         "the share of multiply-adds in the hot loop, and those that wait for registers of one bank",
         find_issue_slots},
    Rule{"runner-up", About::runner_up, "trials", "counters, instructions and resources of both", find_rival},
    Rule{"influence", About::parameter, "trials", "variance of log time, and the best with each value",
         find_influence},
    Rule{"end of list", About::next, "trials", "a best value beyond which none was tried", find_ends},
    Rule{"constraint", About::next, "trials", "a value that a constraint keeps from the winner",
         find_constraints},
    Rule{"occupancy", About::next, "resources", "registers or bytes less that let another block in",
         find_occupancy},
};

}  // namespace

std::span<const Rule> rules() {
  return table;
}

std::vector<Finding> explain(const Subject& subject) {
  std::vector<Finding> all;
  for (const Rule& rule : rules())
    for (Finding& found : rule.find(subject)) {
      found.rule = rule.name;
      found.about = rule.about;
      if (found.from.empty()) found.from = rule.from;
      all.push_back(std::move(found));
    }
  std::ranges::stable_sort(all, [](const Finding& a, const Finding& b) {
    return a.about != b.about ? a.about < b.about : a.weight > b.weight;
  });
  return all;
}

std::optional<bool> is_specialised(const Side& side, const std::optional<model::DeviceInfo>& device) {
  constexpr int first_major = 9;  // setmaxnreg came with sm_90
  if (side.code) return side.code->hands_registers_over;
  if (device && device->compute_major > 0 && device->compute_major < first_major) return false;
  return std::nullopt;
}

std::string percent(double share) {
  constexpr double least = 0.005;  // less is rounded to nothing
  const double value = 100 * share;
  if (value < least) return "0 %";
  return fmt::format("{:.{}f} %", value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);
}

std::string loss(double ratio, bool is_bound) {
  return (is_bound ? "~" : "") + percent(std::max(0.0, ratio - 1));
}

std::string number(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> letters = {
      {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e4, " k"}}};
  const char* letter = "";
  for (const auto& [factor, of_factor] : letters) {
    if (std::abs(value) < factor) continue;
    value /= factor == 1e4 ? 1e3 : factor;
    letter = of_factor;
    break;
  }
  const double size = std::abs(value);
  const bool is_whole = std::round(value) == value;
  return fmt::format("{:.{}f}{}", value, is_whole || size >= 100 ? 0 : size >= 10 ? 1 : 2, letter);
}

std::string duration(double seconds) {
  return seconds < 1e-6   ? fmt::format("{:.0f} ns", seconds * 1e9)
         : seconds < 1e-3 ? fmt::format("{:.{}f} µs", seconds * 1e6,
                                        seconds < 1e-5   ? 2
                                        : seconds < 1e-4 ? 1
                                                         : 0)
                          : fmt::format("{:.2f} ms", seconds * 1e3);
}

std::optional<double> seconds_of(const model::TrialRecord& trial) {
  if (!trial.outcome.measurement || trial.outcome.measurement->median_ns <= 0) return std::nullopt;
  return trial.outcome.measurement->median_ns * 1e-9;
}

std::int64_t blocks_of(const model::TrialRecord& trial) {
  return static_cast<std::int64_t>(trial.grid.x) * trial.grid.y * trial.grid.z;
}

std::int64_t threads_of(const model::TrialRecord& trial) {
  return static_cast<std::int64_t>(trial.block.x) * trial.block.y * trial.block.z;
}

std::int64_t warps_of(const model::TrialRecord& trial) {
  constexpr std::int64_t lanes = 32;
  return (threads_of(trial) + lanes - 1) / lanes;
}

const model::Ceiling* ceiling_of(const model::TrialRecord& trial, std::string_view kind,
                                 std::span<const model::Ceiling> ceilings) {
  const model::Ceiling* best = nullptr;
  for (const model::Ceiling& ceiling : ceilings) {
    if (ceiling.device != trial.environment.device || ceiling.kind != kind || ceiling.value <= 0) continue;
    if (kind == "arithmetic" && ceiling.type != trial.problem.type) continue;
    const bool is_better = best == nullptr || (model::is_least_best(kind) ? ceiling.value < best->value
                                                                          : ceiling.value > best->value);
    if (is_better) best = &ceiling;
  }
  return best;
}

const model::Ceiling* bytes_ceiling_of(const model::TrialRecord& trial,
                                       std::span<const model::Ceiling> ceilings) {
  constexpr double beyond = 1.1;
  const model::Ceiling* const memory = ceiling_of(trial, "memory", ceilings);
  const model::Ceiling* const cache = ceiling_of(trial, "l2", ceilings);
  if (cache == nullptr || trial.environment.l2 != "warm") return memory;
  const auto seconds = seconds_of(trial);
  const bool is_faster_than_memory =
      memory != nullptr && seconds && trial.workload.bytes / *seconds > beyond * memory->value;
  const bool fits = trial.workload.bytes <= static_cast<double>(cache->cache_bytes);
  return fits || is_faster_than_memory ? cache : memory;
}

std::optional<double> counted(const Side& side, std::initializer_list<std::string_view> metrics) {
  for (const std::string_view metric : metrics) {
    const auto found = std::ranges::find(side.counters, metric, &model::Counter::metric);
    if (found != side.counters.end()) return found->value;
  }
  return std::nullopt;
}

int memory_instructions(const sass::Mix& mix) {
  using sass::Kind;
  return mix.count(Kind::global_load) + mix.count(Kind::global_store) + mix.count(Kind::shared_load) +
         mix.count(Kind::shared_store) + mix.count(Kind::atomic);
}

}  // namespace tuner::explain
