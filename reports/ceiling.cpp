#include "reports/ceiling.hpp"

#include <fmt/format.h>

#include <array>

#include "reports/numbers.hpp"
#include "reports/summary.hpp"

namespace reports {
namespace {

bool is_of(const model::Ceiling& ceiling, const model::TrialRecord& trial, const char* kind) {
  return ceiling.device == trial.comparison_class.device && ceiling.kind == kind && ceiling.value > 0;
}

const model::Ceiling* arithmetic_ceiling(const model::TrialRecord& trial,
                                         const std::vector<model::Ceiling>& ceilings) {
  for (const model::Ceiling& ceiling : ceilings) {
    if (is_of(ceiling, trial, "arithmetic") && ceiling.type == trial.problem.type) return &ceiling;
  }
  return nullptr;
}

const model::Ceiling* memory_ceiling(const model::TrialRecord& trial,
                                     const std::vector<model::Ceiling>& ceilings) {
  const model::Ceiling* highest = nullptr;
  for (const model::Ceiling& ceiling : ceilings) {
    if (!is_of(ceiling, trial, "memory")) continue;
    if (highest == nullptr || ceiling.value > highest->value) highest = &ceiling;
  }
  return highest;
}

}  // namespace

std::optional<CeilingShare> ceiling_share(const model::TrialRecord& trial,
                                          const std::vector<model::Ceiling>& ceilings) {
  if (!has_time(trial)) return std::nullopt;
  const double seconds = median_ns(trial) * 1e-9;
  CeilingShare share;
  const auto weigh = [&](double work, const model::Ceiling* ceiling) {
    if (work <= 0 || ceiling == nullptr) return;
    const double fraction = work / seconds / ceiling->value;
    if (fraction > share.fraction) share = {fraction, ceiling};
  };
  weigh(trial.workload.operations, arithmetic_ceiling(trial, ceilings));
  weigh(trial.workload.bytes, memory_ceiling(trial, ceilings));
  if (share.ceiling == nullptr) return std::nullopt;
  return share;
}

std::string ceiling_text(const std::optional<CeilingShare>& share) {
  if (!share) return "-";
  return fmt::format("{} {}", percent_text(share->fraction), share->ceiling->kind);
}

std::string ceiling_value_text(const model::Ceiling& ceiling) {
  if (ceiling.kind == "launch") return time_text(ceiling.value * 1e9);
  struct Prefix {
    double factor;
    const char* name;
  };
  constexpr std::array<Prefix, 4> prefixes = {{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}}};
  std::size_t i = 0;
  while (i + 1 < prefixes.size() && ceiling.value < prefixes[i].factor) ++i;
  return fmt::format("{} {}{}", significant(ceiling.value / prefixes[i].factor, 3), prefixes[i].name,
                     ceiling.kind == "arithmetic" ? "op/s" : "B/s");
}

}  // namespace reports
