#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "reports/layout.hpp"
#include "reports/text.hpp"

namespace reports {
namespace {

using model::TrialRecord;

std::string time(const TrialRecord& t) {
  return has_time(t) ? marked_time(t) : "-";
}

std::string interval(const TrialRecord& t) {
  if (!is_trusted(t)) return "-";  // a few samples have none
  return marked(t, interval_text(t.outcome.measurement->low_ns, t.outcome.measurement->high_ns));
}

/// Of what may not be known.
template <class Part, class Figure>
std::string figure(const std::optional<Part>& part, const Figure& value) {
  return part ? fmt::format("{}", value(*part)) : "-";
}

struct BuiltIn {
  std::string_view name;
  std::string_view heading;
  bool numeric;
  std::string (*text)(const TrialRecord&);
};

constexpr std::array<BuiltIn, 12> built_in = {{
    {"time", "time", true, time},
    {"interval", "95 % interval", true, interval},
    {"occupancy", "occupancy", true,
     [](const TrialRecord& t) {
       return figure(t.occupancy, [](auto& o) { return percent_text(o.fraction); });
     }},
    {"registers", "registers", true,
     [](const TrialRecord& t) {
       const std::string text = registers_text(t);
       return text.empty() ? "-" : text;
     }},
    {"limiter", "limited by", false,
     [](const TrialRecord& t) {
       const bool is_known = t.occupancy && !t.occupancy->limited_by.empty();
       return is_known ? fmt::format("{}", fmt::join(t.occupancy->limited_by, ", ")) : "-";
     }},
    {"shared_bytes", "shared memory, bytes", true,
     [](const TrialRecord& t) {
       return figure(t.resources, [&](auto& r) { return r.static_shared_bytes + t.dynamic_shared_bytes; });
     }},
    {"spill_bytes", "spills, bytes", true,
     [](const TrialRecord& t) { return figure(t.resources, [](auto& r) { return r.spill_bytes(); }); }},
    {"blocks_per_multiprocessor", "blocks per multiprocessor", true,
     [](const TrialRecord& t) {
       return figure(t.occupancy, [](auto& o) { return o.blocks_per_multiprocessor; });
     }},
    {"block", "block", true, [](const TrialRecord& t) { return dim_text(t.block); }},
    {"grid", "grid", true, [](const TrialRecord& t) { return dim_text(t.grid); }},
    {"configuration", "configuration", false, [](const TrialRecord& t) { return t.configuration.text(); }},
    {"kernel", "kernel", false, [](const TrialRecord& t) { return t.kernel; }},
}};

const BuiltIn* find_built_in(const std::string& name) {
  const auto found =
      std::find_if(built_in.begin(), built_in.end(), [&](const BuiltIn& b) { return b.name == name; });
  return found == built_in.end() ? nullptr : &*found;
}

}  // namespace

std::string field_heading(const Field& field) {
  if (!field.heading.empty()) return field.heading;
  if (const BuiltIn* known = find_built_in(field.name)) return std::string(known->heading);
  const std::string name = field.name == "time_ms" ? "ms" : field.name;
  return field.scale == 1 ? name : fmt::format("{} {}", significant(1 / field.scale, 1), name);
}

bool is_numeric(const Field& field) {
  const BuiltIn* known = find_built_in(field.name);
  return known == nullptr || known->numeric;
}

double field_number(const TrialRecord& trial, const Field& field) {
  if (!has_time(trial)) return std::numeric_limits<double>::quiet_NaN();
  if (field.name == "time_ms") return median_ns(trial) * 1e-6 * field.scale;
  const auto found = trial.metrics.find(field.name);
  return found == trial.metrics.end() ? std::numeric_limits<double>::quiet_NaN()
                                      : found->second * field.scale;
}

std::string field_text(const TrialRecord& trial, const Field& field) {
  if (const BuiltIn* known = find_built_in(field.name)) return known->text(trial);
  const double number = field_number(trial, field);
  return number != number ? "-" : marked(trial, significant(number));
}

Cell resolve_cell(const Trials& trials) {
  if (trials.empty()) return {};
  const TrialRecord* best = fastest(trials);
  const TrialRecord* approximate = fastest_approximate(trials);
  if (!best || (approximate && median_ns(*approximate) < median_ns(*best))) best = approximate;
  if (best) return {Cell::Kind::value, best, best->outcome.status};
  Tally tally;
  for (const TrialRecord* trial : trials) tally.add(*trial);
  auto& counts = tally.statuses;
  counts.erase(model::TrialStatus::skipped);
  if (counts.empty()) return {Cell::Kind::not_applicable, nullptr, model::TrialStatus::skipped};
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return {Cell::Kind::failed, nullptr, most->first};
}

std::string cell_text(const Cell& cell, const Field& field) {
  if (cell.kind == Cell::Kind::value) return field_text(*cell.trial, field);
  if (cell.kind == Cell::Kind::failed) return fmt::format("✗ {}", model::to_string(cell.status));
  return cell.kind == Cell::Kind::not_applicable ? "NA" : "-";
}

std::string legend(const Table& table) {
  std::string out;
  const auto explain = [&](auto is_marked, const std::string& meaning) {
    const auto in_row = [&](const auto& row) { return std::any_of(row.begin(), row.end(), is_marked); };
    if (std::any_of(table.rows().begin(), table.rows().end(), in_row))
      out += (out.empty() ? "" : " ") + meaning;
  };
  using Text = const std::string&;
  explain([](Text cell) { return cell.starts_with("~"); }, "~ approximate: dropped after a few samples.");
  explain([](Text cell) { return cell.find("†") != std::string::npos; }, fmt::format("{}.", latency_meaning));
  explain([](Text cell) { return cell.find(" unverified") != std::string::npos; },
          fmt::format("{}.", unverified_meaning));
  explain([](Text cell) { return cell.ends_with(" unsettled"); },
          "unsettled: race and final disagree; `tuner best SIZE` says more.");
  explain([](Text cell) { return cell == "*" || cell.ends_with(" *"); },
          "* not re-measured after the race: the lowest of many medians, so optimistic.");
  explain([](Text cell) { return cell == "NA"; }, "NA: no such configuration exists for this size.");
  explain([](Text cell) { return cell.starts_with("✗ "); },
          "✗: every configuration failed, most of them with this status.");
  return out;
}

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

Table pivot_table(const Trials& trials, const std::string& parameter, const Field& cell) {
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
    for (const model::Value& value : columns) cells.push_back(cell_text(resolve_cell(groups[value]), cell));
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace reports
