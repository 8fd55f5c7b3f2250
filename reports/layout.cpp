#include "reports/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reports/report.hpp"
#include "tuner/util/text.hpp"

namespace reports {
namespace {

using model::TrialRecord;
using model::layout::ChartLayout;
using model::layout::NotApplicable;

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the configuration contradicts no assignment; `found` counts those it has a parameter for.
bool agrees(const TrialRecord& trial, const std::vector<model::Assignment>& where, std::size_t& found) {
  for (const model::Assignment& wanted : where) {
    const model::Value* value = trial.configuration.find(wanted.name);
    if (value == nullptr) continue;
    if (*value != wanted.value) return false;
    ++found;
  }
  return true;
}

std::vector<AxisEntry> named_entries(Axis::Kind kind, const std::vector<std::string>& names) {
  std::vector<AxisEntry> out;
  for (const std::string& name : names) {
    out.push_back({kind, name, kind == Axis::Kind::kernel ? name : "", {}});
  }
  return out;
}

std::vector<std::string> sizes_by_extent(const Trials& trials) {
  std::vector<const model::Problem*> problems;
  for (const TrialRecord* trial : trials) problems.push_back(&trial->problem);
  std::sort(problems.begin(), problems.end(), [](auto* a, auto* b) { return problem_less(*a, *b); });
  std::vector<std::string> out;
  for (const model::Problem* problem : problems) {
    if (out.empty() || out.back() != problem->size_text()) out.push_back(problem->size_text());
  }
  return out;
}

std::vector<AxisEntry> parameter_entries(const Axis& axis, const Trials& trials) {
  std::set<std::vector<model::Value>> found;
  for (const TrialRecord* trial : trials) {
    std::vector<model::Value> values;
    for (const std::string& name : axis.parameters) {
      if (const model::Value* value = trial->configuration.find(name)) values.push_back(*value);
    }
    if (values.size() == axis.parameters.size()) found.insert(std::move(values));
  }
  std::vector<AxisEntry> out;
  for (const std::vector<model::Value>& values : found) {
    AxisEntry entry{axis.kind, "", "", {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      entry.label += (i == 0 ? "" : "×") + values[i].text();
      entry.where.push_back({axis.parameters[i], values[i]});
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

bool matches(const TrialRecord& trial, const Filter& filter) {
  std::size_t found = 0;
  return (filter.family.empty() || trial.problem.family == filter.family) &&
         listed(filter.kernels, trial.kernel) && trial.problem.row_padding == filter.row_padding &&
         listed(filter.sizes, trial.problem.size_text()) && agrees(trial, filter.fixed, found);
}

bool AxisEntry::matches(const TrialRecord& trial) const {
  if (kind == Axis::Kind::size) return trial.problem.size_text() == label;
  if (!kernel.empty() && trial.kernel != kernel) return false;
  std::size_t found = 0;
  if (!agrees(trial, where, found)) return false;
  if (kind == Axis::Kind::parameter) return found == where.size();
  return !kernel.empty() || found > 0;
}

namespace {

/// The entries of `axis` among `trials`, which match `filter` already. Listed ones appear whether found or
/// not.
std::vector<AxisEntry> axis_entries(const Axis& axis, const Filter& filter, const Trials& trials) {
  std::vector<std::string> labels;
  for (const Axis::Choice& choice : axis.choices) labels.push_back(choice.label);
  switch (axis.kind) {
    case Axis::Kind::size:
      if (labels.empty()) labels = filter.sizes.empty() ? sizes_by_extent(trials) : filter.sizes;
      return named_entries(axis.kind, labels);
    case Axis::Kind::kernel:
      if (labels.empty()) labels = filter.kernels.empty() ? kernel_names(trials) : filter.kernels;
      return named_entries(axis.kind, labels);
    case Axis::Kind::parameter:
      return parameter_entries(axis, trials);
    case Axis::Kind::choice:
      break;
  }
  std::vector<AxisEntry> out;
  for (const Axis::Choice& choice : axis.choices)
    out.push_back({axis.kind, choice.label, choice.kernel, choice.where});
  return out;
}

/// Headings of the columns that a row axis takes.
std::string axis_heading(const Axis& axis) {
  if (!axis.heading.empty()) return axis.heading;
  if (axis.kind == Axis::Kind::parameter) return fmt::format("{}", fmt::join(axis.parameters, " × "));
  return axis.kind == Axis::Kind::size ? "size" : axis.kind == Axis::Kind::kernel ? "kernel" : "";
}

/// The product of no axes is one empty point.
std::vector<Coordinates> product(const std::vector<Axis>& axes, const Filter& filter, const Trials& trials) {
  std::vector<Coordinates> out(1);
  for (const Axis& axis : axes) {
    const std::vector<AxisEntry> entries = axis_entries(axis, filter, trials);
    std::vector<Coordinates> next;
    for (const Coordinates& prefix : out) {
      for (const AxisEntry& entry : entries) {
        next.push_back(prefix);
        next.back().push_back(entry);
      }
    }
    out = std::move(next);
  }
  return out;
}

/// What the point fixes `parameter` to, if it does.
std::optional<std::int64_t> fixed_value(const Coordinates& at, const Filter& filter,
                                        const std::string& parameter) {
  const auto find = [&](const std::vector<model::Assignment>& where) -> std::optional<std::int64_t> {
    for (const model::Assignment& assignment : where) {
      if (assignment.name == parameter && !assignment.value.is_word()) return assignment.value.code();
    }
    return std::nullopt;
  };
  for (const AxisEntry& entry : at) {
    if (const auto value = find(entry.where)) return value;
  }
  return find(filter.fixed);
}

}  // namespace

std::optional<std::int64_t> fixed_extent(const Coordinates& at, const Trials& trials,
                                         const std::string& dimension) {
  const auto size =
      std::find_if(at.begin(), at.end(), [](const auto& e) { return e.kind == Axis::Kind::size; });
  for (const TrialRecord* trial : trials) {
    if (size != at.end() && !size->matches(*trial)) continue;
    for (const model::Dimension& d : trial->problem.sizes) {
      if (d.name == dimension) return d.value;
    }
  }
  if (size == at.end()) return std::nullopt;
  return tuner::util::parse_number<std::int64_t>(size->label);
}

namespace {

bool has_size_axis(const TableLayout& layout) {
  const auto is_size = [](const Axis& axis) { return axis.kind == Axis::Kind::size; };
  return std::any_of(layout.rows.begin(), layout.rows.end(), is_size) ||
         std::any_of(layout.columns.begin(), layout.columns.end(), is_size);
}

/// Trials of one family, and of one problem where nothing in the table tells sizes apart: a cell never
/// compares times of different problems.
std::vector<FamilyGroup> parts(const TableLayout& layout, const Trials& filtered) {
  std::vector<FamilyGroup> out = by_family(filtered);
  if (!has_size_axis(layout)) {
    out.clear();
    std::map<model::Problem, Trials, decltype(&problem_less)> groups(&problem_less);
    for (const TrialRecord* trial : filtered) groups[trial->problem].push_back(trial);
    for (auto& [problem, trials] : groups)
      out.push_back({problem.family + ' ' + size_label(problem), std::move(trials)});
  }
  // Listed rows and columns are shown even where nothing was measured yet.
  if (out.empty()) out.push_back({"", {}});
  return out;
}

std::string label(const Coordinates& at) {
  std::string out;
  for (const AxisEntry& entry : at) out += (out.empty() ? "" : " ") + entry.label;
  return out;
}

Trials at_point(const Trials& trials, const Coordinates& at) {
  return select(trials, [&](const TrialRecord& trial) {
    return std::all_of(at.begin(), at.end(), [&](const AxisEntry& entry) { return entry.matches(trial); });
  });
}

bool is_not_applicable(const TableLayout& layout, const Coordinates& at, const Trials& trials) {
  return std::any_of(layout.not_applicable.begin(), layout.not_applicable.end(),
                     [&](const NotApplicable& rule) {
                       const auto value = fixed_value(at, layout.filter, rule.parameter);
                       const auto extent = fixed_extent(at, trials, rule.dimension);
                       return value && extent && *value > *extent;
                     });
}

Table part_table(const TableLayout& layout, const Trials& trials) {
  const std::vector<Coordinates> columns = product(layout.columns, layout.filter, trials);
  Table table;
  for (const Axis& axis : layout.rows) {
    const bool text = axis.kind == Axis::Kind::kernel || axis.kind == Axis::Kind::choice;
    table.add_column(axis_heading(axis), text ? Align::left : Align::right);
  }
  const auto align = [](const Field& field) { return is_numeric(field) ? Align::right : Align::left; };
  for (const Coordinates& column : columns) {
    table.add_column(column.empty() ? field_heading(layout.cell) : label(column), align(layout.cell));
  }
  for (const Field& field : layout.extra) table.add_column(field_heading(field), align(field));

  for (const Coordinates& row : product(layout.rows, layout.filter, trials)) {
    std::vector<std::string> cells;
    for (const AxisEntry& entry : row) cells.push_back(entry.label);
    Trials of_row;
    for (const Coordinates& column : columns) {
      Coordinates at = row;
      at.insert(at.end(), column.begin(), column.end());
      if (is_not_applicable(layout, at, trials)) {
        cells.push_back("NA");
        continue;
      }
      const Trials here = at_point(trials, at);
      cells.push_back(cell_text(resolve_cell(here), layout.cell));
      of_row.insert(of_row.end(), here.begin(), here.end());
    }
    const Cell best = resolve_cell(of_row);
    for (const Field& field : layout.extra) {
      cells.push_back(best.kind == Cell::Kind::value ? field_text(*best.trial, field) : "-");
    }
    table.add_row(std::move(cells));
  }
  return table;
}

/// Everything below the table's heading; `level` is that of further headings, should there be several tables.
void add_parts(const TableLayout& layout, const Trials& trials, int level, Document& document) {
  const auto wanted = [&](const TrialRecord& trial) { return matches(trial, layout.filter); };
  const std::vector<FamilyGroup> found = parts(layout, select(trials, wanted));
  for (const FamilyGroup& part : found) {
    if (found.size() > 1) document.add(Heading{level, part.name});
    Table table = part_table(layout, part.trials);
    if (table.empty()) {
      document.add(Paragraph{"Nothing was measured for this table."});
    } else {
      document.add_table(std::move(table));
    }
  }
  if (!layout.caption.empty()) document.add(Paragraph{layout.caption});
}

/// Appends the table for one environment.
void add_layout(const TableLayout& layout, const Trials& trials, Document& document) {
  document.add(Heading{3, layout.title});
  add_parts(layout, trials, 4, document);
}

/// Appends the chart for one environment; nothing where no trial has the cell's value.
void add_layout(const ChartLayout& layout, const Trials& trials, Document& document) {
  const Trials filtered =
      select(trials, [&](const TrialRecord& trial) { return matches(trial, layout.filter); });
  std::vector<std::pair<std::string, Trials>> groups;
  for (const AxisEntry& entry : axis_entries(layout.series, layout.filter, filtered)) {
    groups.emplace_back(entry.label, at_point(filtered, {entry}));
  }
  document.add_figure(layout.title, size_chart(layout.title, groups, layout.cell));
}

}  // namespace

Document build_layout(const Layout& layout, const ReportInput& input) {
  Document document{layout.title.empty() ? input.title : layout.title, {}};
  const std::vector<EnvironmentGroup> environments = by_environment(view(input.trials));
  if (!layout.introduction.empty()) document.add(Paragraph{layout.introduction});
  add_introduction(input, environments.size(), document);
  for (const EnvironmentGroup& group : environments) {
    document.add(Heading{2, group.environment.text()});
    for (const TableLayout& table : layout.tables) add_layout(table, group.trials, document);
    for (const ChartLayout& chart : layout.charts) add_layout(chart, group.trials, document);
  }
  add_commands(input, document);
  return document;
}

}  // namespace reports
