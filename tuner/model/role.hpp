#pragma once
#include <optional>
#include <string_view>

namespace tuner::model {

/// What a kernel takes part as.
enum class Role {
  competitor,  ///< may be chosen as the best of its family
  baseline,    ///< solves the same problem and is timed in the same finals, and is never chosen
  ceiling,     ///< measures what its device can do at most; competes within its own family alone
};

/// `competitor`, `baseline`, `ceiling`: as stored and shown.
std::string_view to_string(Role role);
std::optional<Role> parse_role(std::string_view text);
/// Whether a trial of this role may be chosen.
inline bool may_win(Role role) {
  return role != Role::baseline;
}

}  // namespace tuner::model
