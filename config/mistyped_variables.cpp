#include "config/mistyped_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "config/known_settings.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::string_view variable_prefix = "TUNER_";

/// Variables that are no settings: other libraries and compilers than those found, and what the tuner's own
/// processes tell each other.
constexpr std::string_view other_variables[] = {"TUNER_NVRTC", "TUNER_NVCC", "TUNER_HOST_CXX",
                                                "TUNER_WORKER_FOLDER", "TUNER_RESTARTED_WITH_ASAN"};

}  // namespace

std::vector<std::string> process_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view value = *entry;
    const std::string_view name = tuner::util::split_first(value, "=");
    if (!value.empty()) names.emplace_back(name);
  }
  return names;
}

std::vector<MistypedVariable> mistyped_variables(std::span<const std::string> names) {
  // Compared without what they all begin with, which would make all of them near.
  std::vector<std::string> known;
  for (const KnownSetting& setting : known_settings()) {
    known.push_back(variable_name(setting.name).substr(variable_prefix.size()));
  }
  for (const std::string_view name : other_variables) known.emplace_back(name.substr(variable_prefix.size()));
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::vector<MistypedVariable> mistyped;
  for (const std::string& name : names) {
    if (!name.starts_with(variable_prefix)) continue;
    const std::string_view own = std::string_view(name).substr(variable_prefix.size());
    if (std::find(candidates.begin(), candidates.end(), own) != candidates.end()) continue;
    const std::string_view meant = tuner::util::nearest(own, candidates);
    if (!meant.empty()) mistyped.push_back({name, std::string(variable_prefix).append(meant)});
  }
  return mistyped;
}

}  // namespace config
