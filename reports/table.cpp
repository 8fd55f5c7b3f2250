#include "reports/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "reports/text.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace reports {
namespace util = tuner::util;
namespace {

using tuner::util::display_width;
using Escape = std::function<std::string(const std::string&)>;

/// The table as text: headings and rows escaped, and the width of each column.
struct Grid {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths;
};

Grid layout(const Table& table, std::size_t least_width, const Escape& escape) {
  Grid grid;
  for (const Column& column : table.columns()) {
    grid.headings.push_back(escape(column.heading));
    grid.widths.push_back(std::max(least_width, display_width(grid.headings.back())));
  }
  for (const auto& row : table.rows()) {
    auto& cells = grid.rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(escape(row[i]));
      grid.widths[i] = std::max(grid.widths[i], display_width(cells.back()));
    }
  }
  return grid;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - display_width(text), ' ');
  return align == Align::right ? space + text : text + space;
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() > m_columns.size()) {
    throw tuner::model::Error(
        fmt::format("a row of {} cells in a table of {} columns", cells.size(), m_columns.size()));
  }
  cells.resize(m_columns.size());
  m_rows.push_back(std::move(cells));
}

std::string Table::markdown() const {
  const Grid grid = layout(*this, 3, markdown_text);
  std::string out;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out += "| " + padded(cells[i], grid.widths[i], m_columns[i].align) + ' ';
    }
    out += "|\n";
  };
  add(grid.headings);
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    const bool right = m_columns[i].align == Align::right;
    out += fmt::format("|{}{}", std::string(grid.widths[i] + (right ? 1 : 2), '-'), right ? ":" : "");
  }
  out += "|\n";
  for (const auto& row : grid.rows) add(row);
  return out;
}

std::string Table::plain() const {
  const Grid grid = layout(*this, 1, [](const std::string& cell) { return util::one_line(cell); });
  std::string out;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) line += "  ";
      line += padded(cells[i], grid.widths[i], m_columns[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add(grid.headings);
  std::vector<std::string> rule;
  for (const std::size_t width : grid.widths) {
    std::string& dashes = rule.emplace_back();
    for (std::size_t i = 0; i < width; ++i) dashes += "─";
  }
  add(rule);
  for (const auto& row : grid.rows) add(row);
  return out;
}

std::string Table::csv() const {
  std::string out;
  const auto add = [&](const auto& cells, const auto& text) {
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i == 0 ? "" : ",") + csv_text(text(cells[i]));
    out += "\r\n";
  };
  add(m_columns, [](const Column& column) { return column.heading; });
  for (const auto& row : m_rows) add(row, [](const std::string& cell) { return cell; });
  return out;
}

}  // namespace reports
