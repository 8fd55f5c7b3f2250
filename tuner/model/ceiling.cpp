#include "tuner/model/ceiling.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tuner::model {
namespace {

constexpr std::array<std::string_view, 5> kinds = {"arithmetic", "memory", "l2", "shared memory", "launch"};

using Factor = std::pair<std::string_view, double>;
constexpr std::array<Factor, 6> prefixes = {
    {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}}};
constexpr std::array<Factor, 5> times = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}}};

template <typename Factors>
std::optional<double> factor(const Factors& factors, std::string_view name) {
  const auto found = std::find_if(factors.begin(), factors.end(),
                                  [&](const Factor& factor) { return factor.first == name; });
  return found == factors.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> prefixed(std::string_view unit, std::string_view base) {
  if (!unit.ends_with(base)) return std::nullopt;
  return factor(prefixes, unit.substr(0, unit.size() - base.size()));
}

}  // namespace

std::span<const std::string_view> ceiling_kinds() {
  return kinds;
}

std::optional<double> ceiling_unit(std::string_view kind, std::string_view unit) {
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return std::nullopt;
  if (kind == "launch") return factor(times, unit);
  if (kind != "arithmetic") return prefixed(unit, "B/s");
  const auto flops = prefixed(unit, "FLOP/s");
  return flops ? flops : prefixed(unit, "op/s");
}

std::string_view ceiling_unit_examples(std::string_view kind) {
  if (kind == "launch") return "\"ns\"";
  return kind == "arithmetic" ? "\"GFLOP/s\" or \"Gop/s\"" : "\"GB/s\"";
}

bool is_least_best(std::string_view kind) {
  return kind == "launch";
}

}  // namespace tuner::model
