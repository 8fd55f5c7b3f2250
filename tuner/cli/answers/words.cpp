#include "tuner/cli/answers/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

/// The assignments that are the same in all; nothing where there is only one.
std::vector<model::Assignment> shared(const std::vector<const model::Configuration*>& configurations) {
  if (configurations.size() < 2) return {};
  std::vector<model::Assignment> same;
  for (const model::Assignment& assignment : configurations.front()->assignments()) {
    const bool everywhere =
        std::all_of(configurations.begin(), configurations.end(), [&](const model::Configuration* other) {
          const model::Value* value = other->find(assignment.name);
          return value != nullptr && *value == assignment.value;
        });
    if (everywhere) same.push_back(assignment);
  }
  return same;
}

}  // namespace

std::string size_label(const model::Problem& problem) {
  const std::string size = problem.size_text();
  return problem.row_padding == 0 ? size : fmt::format("{} pad {}", size, problem.row_padding);
}

Common::Common(const std::vector<const model::TrialRecord*>& trials) {
  std::map<std::string, std::vector<const model::Configuration*>> configurations;
  for (const model::TrialRecord* trial : trials)
    configurations[trial->kernel].push_back(&trial->configuration);
  for (const auto& [kernel, all] : configurations) m_by_kernel[kernel] = shared(all);
}

std::string Common::rest(const model::TrialRecord& trial) const {
  const std::vector<model::Assignment>& known = m_by_kernel.at(trial.kernel);
  std::vector<model::Assignment> own;
  for (const model::Assignment& assignment : trial.configuration.assignments()) {
    if (std::find(known.begin(), known.end(), assignment) == known.end()) own.push_back(assignment);
  }
  return own.empty() ? "-" : model::Configuration(std::move(own)).text();
}

std::string Common::text(std::size_t columns) const {
  std::string out;
  for (const auto& [kernel, assignments] : m_by_kernel) {
    if (assignments.empty() && !has_one_kernel()) continue;
    std::string line = "everywhere " + kernel;
    if (!assignments.empty()) line += ' ' + model::Configuration(assignments).text();
    out += util::wrapped_text(line, columns, 2);
  }
  return out;
}

std::string change_text(const model::Configuration& from, const model::Configuration& to) {
  std::string text;
  for (const model::Assignment& assignment : from.assignments()) {
    const model::Value* other = to.find(assignment.name);
    if (other == nullptr || *other == assignment.value) continue;
    text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", assignment.name, assignment.value.text(),
                        other->text());
  }
  return text;
}

}  // namespace tuner::cli::answers
