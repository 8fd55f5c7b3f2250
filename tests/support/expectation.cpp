#include "tests/support/expectation.hpp"

namespace tuner::test {

std::vector<model::TrialStatus> expected_statuses(std::string_view description) {
  constexpr std::string_view prefix = "expected: ";
  constexpr std::string_view separator = " or ";
  std::vector<model::TrialStatus> statuses;
  if (!description.starts_with(prefix)) return statuses;
  description.remove_prefix(prefix.size());
  while (!description.empty()) {
    const std::string_view word = description.substr(0, description.find(separator));
    const auto status = model::parse_word<model::TrialStatus>(word);
    if (!status) return {};
    statuses.push_back(*status);
    description.remove_prefix(word.size());
    if (description.starts_with(separator)) description.remove_prefix(separator.size());
  }
  return statuses;
}

}  // namespace tuner::test
