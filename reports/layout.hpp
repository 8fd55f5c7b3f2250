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
using model::layout::Filter;
using model::layout::Layout;
using model::layout::TableLayout;

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

/// A point of the table: one entry from each axis.
using Coordinates = std::vector<AxisEntry>;

/// The extent of `dimension` at the point: that of the trials of its size, or the size itself where it is one
/// number.
std::optional<std::int64_t> fixed_extent(const Coordinates& at, const Trials& trials,
                                         const std::string& dimension);

}  // namespace reports
