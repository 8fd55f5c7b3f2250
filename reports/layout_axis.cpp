#include "reports/layout_axis.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace reports {
namespace {

using model::TrialRecord;

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

std::string axis_heading(const Axis& axis) {
  if (!axis.heading.empty()) return axis.heading;
  switch (axis.kind) {
    case Axis::Kind::size:
      return "size";
    case Axis::Kind::kernel:
      return "kernel";
    case Axis::Kind::choice:
      return "";
    case Axis::Kind::parameter:
      break;
  }
  std::string out;
  for (const std::string& name : axis.parameters) out += (out.empty() ? "" : " × ") + name;
  return out;
}

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
  std::int64_t number = 0;
  const char* end = size->label.data() + size->label.size();
  const auto [stop, error] = std::from_chars(size->label.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace reports
