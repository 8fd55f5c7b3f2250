#include "reports/pivot.hpp"

#include <map>
#include <set>
#include <vector>

namespace reports {
namespace {

using model::TrialRecord;

}  // namespace

std::vector<std::string> choose_pivots(const Trials& trials, const std::string& wanted) {
  std::vector<std::string> order;
  std::map<std::string, std::set<model::Value>> values;
  for (const TrialRecord* trial : trials) {
    for (const model::Assignment& assignment : trial->configuration.assignments()) {
      auto& found = values[assignment.name];
      if (found.empty()) order.push_back(assignment.name);
      found.insert(assignment.value);
    }
  }
  if (values.count(wanted) != 0) return {wanted};
  std::erase_if(order, [&](const std::string& name) { return values[name].size() < 2; });
  return order.empty() ? std::vector<std::string>{""} : order;
}

Table pivot_table(const Trials& trials, const std::string& parameter, const Field& cell, bool exhaustive) {
  std::map<model::Problem, std::map<model::Value, Trials>, decltype(&problem_less)> rows(&problem_less);
  std::set<model::Value> columns;
  for (const TrialRecord* trial : trials) {
    const model::Value* found = parameter.empty() ? nullptr : trial->configuration.find(parameter);
    const model::Value value = found == nullptr ? model::Value() : *found;
    columns.insert(value);
    rows[trial->problem][value].push_back(trial);
  }

  Table table({{"size", Align::right}});
  for (const model::Value& value : columns) {
    table.add_column(parameter.empty() ? field_heading(cell) : value.text(), Align::right);
  }
  for (auto& [problem, groups] : rows) {
    std::vector<std::string> cells = {size_label(problem)};
    for (const model::Value& value : columns) {
      Cell resolved = resolve_cell(groups[value]);
      if (resolved.kind == Cell::Kind::untried && exhaustive) resolved.kind = Cell::Kind::not_applicable;
      cells.push_back(cell_text(resolved, cell));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace reports
