#include "tuner/model/trial_runner.hpp"

#include <array>

namespace tuner::model {
namespace {

constexpr std::array<std::string_view, 5> phase_names = {"preparing", "probing", "loading", "verifying",
                                                         "timing"};

}  // namespace

std::string_view to_string(TrialPhase phase) {
  return phase_names.at(static_cast<std::size_t>(phase));
}

std::optional<TrialPhase> parse_trial_phase(std::string_view text) {
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    if (phase_names[i] == text) return static_cast<TrialPhase>(i);
  }
  return std::nullopt;
}

}  // namespace tuner::model
