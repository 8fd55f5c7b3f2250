#include "tuner/model/device.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tuner::model {
namespace {

using Naming = DeviceKind::Naming;

constexpr std::array known_kinds = {
    DeviceKind{.name = "cuda",
               .naming = Naming::numbers,
               .compiler = "nvrtc",
               .in_specs = true,
               .obeys_specs = true,
               .is_gpu = true,
               .has_nvcc = true,
               .has_views = true,
               .has_libraries = true,
               .has_own_kernels = true,
               .has_streams = true,
               .has_energy = true},
    DeviceKind{.name = "cpu",
               .compiler = "host",
               .in_specs = true,
               .obeys_specs = true,
               .has_sanitizers = true,
               .has_energy = true},
    DeviceKind{.name = "replay", .naming = Naming::file, .has_energy = true},
};
constexpr DeviceKind unknown{.name = "unknown", .obeys_specs = true};

bool is_number(std::string_view text) {
  constexpr std::size_t most_digits = 3;
  return !text.empty() && text.size() <= most_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// What stands behind `NAME:`, or nothing.
std::string_view behind_name(const DeviceKind& kind, std::string_view device) {
  const bool named = device.starts_with(kind.name) && device.substr(kind.name.size()).starts_with(':');
  return named ? device.substr(kind.name.size() + 1) : std::string_view();
}

bool names(const DeviceKind& kind, std::string_view device) {
  if (kind.naming == Naming::word) return device == kind.name;
  if (kind.naming == Naming::file) return !behind_name(kind, device).empty();
  std::set<std::string> seen;
  return std::ranges::all_of(listed_devices(device), [&](const std::string& one) {
    return is_number(behind_name(kind, one)) && seen.insert(one).second;
  });
}

}  // namespace

std::span<const DeviceKind> device_kinds() {
  return known_kinds;
}

const DeviceKind& device_kind(std::string_view name) {
  const auto found = std::ranges::find(known_kinds, name, &DeviceKind::name);
  return found == known_kinds.end() ? unknown : *found;
}

const DeviceKind* named_kind(std::string_view device) {
  if (device == "auto" || device == "all") return known_kinds.data();
  const auto found =
      std::ranges::find_if(known_kinds, [&](const DeviceKind& kind) { return names(kind, device); });
  return found == known_kinds.end() ? nullptr : &*found;
}

std::vector<std::string> listed_devices(std::string_view device) {
  if (!recording_of(device).empty()) return {std::string(device)};  // a file's name may have commas
  std::vector<std::string> listed(1);
  for (const char c : device) {
    if (c == ',')
      listed.emplace_back();
    else
      listed.back() += c;
  }
  return listed;
}

std::string recording_of(std::string_view device) {
  for (const DeviceKind& kind : known_kinds)
    if (kind.naming == Naming::file) return std::string(behind_name(kind, device));
  return "";
}

bool runs_on(const std::vector<std::string>& devices_of_spec, std::string_view kind) {
  return devices_of_spec.empty() || std::ranges::find(devices_of_spec, kind) != devices_of_spec.end();
}

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
