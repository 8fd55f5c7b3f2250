#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/document.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "tuner/model/layout.hpp"

namespace reports {

using model::layout::Field;

/// The heading of a column of such cells.
std::string field_heading(const Field& field);
/// Whether the values are numbers, to be aligned at the right.
bool is_numeric(const Field& field);
/// The value as text; `-` where the trial has none. `~` before an approximate time or metric, `†` after one
/// that includes launch latency.
std::string field_text(const model::TrialRecord& trial, const Field& field);
/// The value of a metric or time_ms, scaled; quiet NaN where the trial has none.
double field_number(const model::TrialRecord& trial, const Field& field);

/// What a group of trials comes to, when a table has one cell for all of them.
struct Cell {
  enum class Kind {
    value,           ///< `trial` is the fastest, approximate times included: what was dropped early against a
                     ///< faster kernel may still be the fastest of its own
    not_applicable,  ///< the kernel's spec excludes all of them
    failed,          ///< none has a time; `status` is the most frequent reason
    untried,         ///< there are none
  };
  Kind kind = Kind::untried;
  const model::TrialRecord* trial = nullptr;
  model::TrialStatus status = model::TrialStatus::ok;
};

Cell resolve_cell(const Trials& trials);
/// The field of the cell's trial, `NA`, `✗ status` or `-`.
std::string cell_text(const Cell& cell, const Field& field);

/// Explains those of the marks above that occur in the cells of `table`; empty where none does.
std::string legend(const Table& table);

/// The parameters that get a table of their own: `wanted` alone if the kernel has it, else every one that
/// takes more than one value, in the order the spec writes them; one empty name where none does. `trials` are
/// of one kernel.
std::vector<std::string> choose_pivots(const Trials& trials, const std::string& wanted);

/// One row a problem, one column a value of `parameter` (or one in all where it is empty), each cell the
/// fastest over the other parameters. `trials` are of one kernel and environment.
Table pivot_table(const Trials& trials, const std::string& parameter, const Field& cell);

using model::layout::Axis;
using model::layout::Filter;
using model::layout::Layout;
using model::layout::TableLayout;

/// The whole document: every table and chart, a section an environment. Render it with to_markdown or
/// to_html.
Document build_layout(const Layout& layout, const ReportInput& input);

bool matches(const model::TrialRecord& trial, const Filter& filter);

/// One entry of an axis: what it is called, which trials it stands for.
struct AxisEntry {
  Axis::Kind kind = Axis::Kind::size;
  std::string label;
  std::string kernel;                    ///< kernel and choice
  std::vector<model::Assignment> where;  ///< parameter and choice

  bool matches(const model::TrialRecord& trial) const;
};

/// A point of the table: one entry from each axis.
using Coordinates = std::vector<AxisEntry>;

/// The extent of `dimension` at the point: that of the trials of its size, or the size itself where it is one
/// number.
std::optional<std::int64_t> fixed_extent(const Coordinates& at, const Trials& trials,
                                         const std::string& dimension);

}  // namespace reports
