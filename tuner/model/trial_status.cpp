#include "tuner/model/trial_status.hpp"

#include <array>

namespace tuner::model {
namespace {

constexpr std::array<std::string_view, 13> status_names = {
    "ok",           "dropped",       "unlaunchable",   "compile_error", "launch_error",
    "wrong_result", "out_of_bounds", "input_modified", "unstable",      "timeout",
    "crashed",      "skipped",       "quarantined"};

}  // namespace

std::string_view to_string(TrialStatus status) {
  return status_names[static_cast<std::size_t>(status)];
}

std::optional<TrialStatus> parse_trial_status(std::string_view text) {
  for (std::size_t i = 0; i < status_names.size(); ++i) {
    if (status_names[i] == text) return static_cast<TrialStatus>(i);
  }
  return std::nullopt;
}

bool is_failure(TrialStatus status) {
  return status != TrialStatus::ok && status != TrialStatus::dropped && status != TrialStatus::skipped;
}

}  // namespace tuner::model
