#pragma once
#include <string>
#include <vector>

#include "reports/document.hpp"
#include "reports/field.hpp"
#include "reports/report_input.hpp"
#include "reports/summary.hpp"
#include "tuner/model/layout.hpp"

namespace reports {

using model::layout::Axis;
using model::layout::ChartLayout;
using model::layout::Filter;
using model::layout::Layout;
using model::layout::NotApplicable;
using model::layout::TableLayout;

/// Appends the table for one class; where it has no size axis and several problems match, one table a
/// problem.
void add_layout(const TableLayout& layout, const Trials& trials, Document& document);
/// Appends the chart for one class; nothing where no trial has the cell's value.
void add_layout(const ChartLayout& layout, const Trials& trials, Document& document);

/// The whole document: every table and chart, a section a class. Render it with to_markdown or to_html.
Document build_layout(const Layout& layout, const ReportInput& input);

/// One table as Markdown, a section a class where there are several.
std::string render_markdown(const TableLayout& layout, const std::vector<model::TrialRecord>& trials);

}  // namespace reports
