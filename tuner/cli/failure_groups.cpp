#include "tuner/cli/failure_groups.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "reports/summary.hpp"

namespace tuner::cli {
namespace {

bool is_of_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
}

/// `text` with `#` for each number and for what its exponent is written with.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const bool is_sign =
        text[i] == '-' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (!is_digit && !is_sign) {
      out += text[i];
      continue;
    }
    out += '#';
    while (i + 1 < text.size() && (is_of_number(text[i + 1]) || text[i + 1] == 'e')) ++i;
  }
  return out;
}

std::string kind_of(const model::TrialRecord& trial) {
  if (trial.outcome.status == model::TrialStatus::compile_error) return whole_reason(trial);
  const std::string reason = reports::reason(trial);
  // What follows the first value is more of the same.
  return without_numbers(reason.substr(0, reason.find(", the first at index ")));
}

}  // namespace

const std::string& whole_reason(const model::TrialRecord& trial) {
  const bool is_compilers = trial.outcome.status == model::TrialStatus::compile_error;
  const std::string& detail = trial.outcome.detail;
  return (is_compilers && !trial.compile_log.empty()) || detail.empty() ? trial.compile_log : detail;
}

std::vector<FailureGroup> failure_groups(const std::vector<const model::TrialRecord*>& trials) {
  std::map<std::tuple<std::string, model::TrialStatus, std::string>, FailureGroup> groups;
  for (const model::TrialRecord* trial : trials) {
    if (trial->outcome.status == model::TrialStatus::ok) continue;
    FailureGroup& group = groups[{trial->kernel, trial->outcome.status, kind_of(*trial)}];
    if (group.example == nullptr) group.example = trial;
    group.trials.push_back(trial);
  }
  std::vector<FailureGroup> out;
  for (auto& [kind, group] : groups) out.push_back(std::move(group));
  std::ranges::stable_sort(out, [](const FailureGroup& a, const FailureGroup& b) {
    if (a.example->kernel != b.example->kernel) return a.example->kernel < b.example->kernel;
    return a.trials.size() > b.trials.size();
  });
  return out;
}

}  // namespace tuner::cli
