#include "tuner/model/compiler_option.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tuner::model {

std::string with_short_name(const std::string& option) {
  using Names = std::pair<std::string_view, const char*>;
  constexpr std::array known = {
      Names{"-D ", "-D"}, Names{"--define-macro=", "-D"},   Names{"--define-macro ", "-D"},
      Names{"-U ", "-U"}, Names{"--undefine-macro=", "-U"}, Names{"--undefine-macro ", "-U"}};
  for (const auto& [name, instead] : known) {
    if (!option.starts_with(name)) continue;
    const std::size_t value = option.find_first_not_of(' ', name.size());
    return instead + (value == std::string::npos ? "" : option.substr(value));
  }
  return option;
}

}  // namespace tuner::model
