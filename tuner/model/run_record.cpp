#include "tuner/model/run_record.hpp"

#include <array>
#include <utility>

namespace tuner::model {
namespace {

constexpr std::array ending_names = {
    std::pair(SearchEnding::exhausted, std::string_view("exhausted")),
    std::pair(SearchEnding::until, std::string_view("until")),
    std::pair(SearchEnding::budget, std::string_view("budget")),
    std::pair(SearchEnding::interrupted, std::string_view("interrupted")),
    std::pair(SearchEnding::gave_up, std::string_view("gave_up")),
    std::pair(SearchEnding::refused, std::string_view("refused")),
};

}  // namespace

std::string_view to_string(SearchEnding ending) {
  for (const auto& [value, name] : ending_names) {
    if (value == ending) return name;
  }
  return "";
}

std::optional<SearchEnding> parse_search_ending(std::string_view text) {
  for (const auto& [value, name] : ending_names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace tuner::model
