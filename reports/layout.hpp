#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/document.hpp"
#include "reports/field.hpp"
#include "reports/summary.hpp"
#include "tuner/model/layout.hpp"

namespace reports {

using model::layout::Axis;
using model::layout::ChartLayout;
using model::layout::Filter;
using model::layout::Layout;
using model::layout::NotApplicable;
using model::layout::TableLayout;

/// Appends the table for one environment; where it has no size axis and several problems match, one table a
/// problem.
void add_layout(const TableLayout& layout, const Trials& trials, Document& document);
/// Appends the chart for one environment; nothing where no trial has the cell's value.
void add_layout(const ChartLayout& layout, const Trials& trials, Document& document);

/// The whole document: every table and chart, a section an environment. Render it with to_markdown or
/// to_html.
Document build_layout(const Layout& layout, const ReportInput& input);

/// One table as Markdown, a section an environment where there are several.
std::string render_markdown(const TableLayout& layout, const std::vector<model::TrialRecord>& trials);

bool matches(const model::TrialRecord& trial, const Filter& filter);

/// One entry of an axis: what it is called, which trials it stands for.
struct AxisEntry {
  Axis::Kind kind = Axis::Kind::size;
  std::string label;
  std::string kernel;                    ///< kernel and choice
  std::vector<model::Assignment> where;  ///< parameter and choice

  bool matches(const model::TrialRecord& trial) const;
};

/// The entries of `axis` among `trials`, which match `filter` already. Listed ones appear whether found or
/// not.
std::vector<AxisEntry> axis_entries(const Axis& axis, const Filter& filter, const Trials& trials);

/// Headings of the columns that a row axis takes.
std::string axis_heading(const Axis& axis);

/// A point of the table: one entry from each axis. The product of no axes is one empty point.
using Coordinates = std::vector<AxisEntry>;
std::vector<Coordinates> product(const std::vector<Axis>& axes, const Filter& filter, const Trials& trials);

/// What the point fixes `parameter` to, if it does.
std::optional<std::int64_t> fixed_value(const Coordinates& at, const Filter& filter,
                                        const std::string& parameter);

/// The extent of `dimension` at the point: that of the trials of its size, or the size itself where it is one
/// number.
std::optional<std::int64_t> fixed_extent(const Coordinates& at, const Trials& trials,
                                         const std::string& dimension);

}  // namespace reports
