#include "tuner/model/role.hpp"

#include <array>

namespace tuner::model {
namespace {

constexpr std::array<std::string_view, 3> role_names = {"competitor", "baseline", "ceiling"};

}  // namespace

std::string_view to_string(Role role) {
  return role_names.at(static_cast<std::size_t>(role));
}

std::optional<Role> parse_role(std::string_view text) {
  for (std::size_t i = 0; i < role_names.size(); ++i) {
    if (role_names[i] == text) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace tuner::model
