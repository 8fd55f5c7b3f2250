#include "tuner/cli/answers/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/summary.hpp"

namespace tuner::cli::answers {

Common::Common(const std::vector<const model::TrialRecord*>& trials) {
  std::map<std::string, reports::Trials> by_kernel;
  for (const model::TrialRecord* trial : trials) by_kernel[trial->kernel].push_back(trial);
  for (const auto& [kernel, all] : by_kernel)  // of one alone everything would be shared
    m_by_kernel[kernel] =
        all.size() < 2 ? std::vector<model::Assignment>() : reports::common_assignments(all);
}

std::string Common::rest(const model::TrialRecord& trial) const {
  const std::vector<model::Assignment>& known = m_by_kernel.at(trial.kernel);
  std::vector<model::Assignment> own;
  for (const model::Assignment& assignment : trial.configuration.assignments()) {
    if (std::ranges::find(known, assignment) == known.end()) own.push_back(assignment);
  }
  return own.empty() ? "-" : model::Configuration(std::move(own)).text();
}

std::string Common::text(std::size_t columns) const {
  std::string out;
  for (const auto& [kernel, assignments] : m_by_kernel) {
    if (assignments.empty() && !has_one_kernel()) continue;
    const std::string common = assignments.empty() ? "" : model::Configuration(assignments).text();
    const std::string line = has_one_kernel() ? fmt::format("the same in all rows: {} {}", kernel, common)
                                              : fmt::format("the same in all rows of {}: {}", kernel, common);
    out += util::wrapped_text(line, columns, 2);
  }
  return out;
}

std::string Common::table(const std::function<reports::Table(bool)>& make,
                          const std::vector<std::pair<std::string, const model::TrialRecord*>>& labelled,
                          const reports::Screen& columns) const {
  const reports::Table whole = make(true);
  if (whole.width() <= columns) return whole.fitted(columns) + text(columns);
  reports::LabelledTexts own;
  for (const auto& [label, trial] : labelled)
    reports::add_labelled(own, label, (has_one_kernel() ? "" : trial->kernel + ' ') + rest(*trial));
  const bool differ = own.size() > 1 || (!own.empty() && own.front().second != "-");
  return make(false).fitted(columns, "--format json") + '\n' + (differ ? labelled_text(own, columns) : "") +
         text(columns);
}

std::string labelled_text(const reports::LabelledTexts& texts, std::size_t columns, const std::string& head) {
  std::string out;
  for (const auto& [labels, text] : texts)
    out += util::wrapped_text(fmt::format("{}{}: {}", head, labels, text), columns, 2);
  return out;
}

std::string block_of(const Facts& facts, const reports::Screen& screen) {
  reports::Table table({{""}});
  std::vector<std::string> cells = {""};
  for (const auto& [name, value] : facts) {
    table.add_column(name);
    cells.push_back(value);
  }
  table.add_row(std::move(cells));
  return table.blocks(screen);
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
