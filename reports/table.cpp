#include "reports/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "reports/text.hpp"
#include "tuner/model/error.hpp"

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

/// With blanks to this width; the text alone is painted.
std::string padded(const std::string& text, std::size_t width, Align align,
                   util::Tone tone = util::Tone::plain) {
  const std::string space(width - display_width(text), ' ');
  const std::string shown = util::painted(text, tone);
  return align == Align::right ? space + shown : shown + space;
}

/// What the cell is of: its column, or its row where the first column, which names rows, has no heading.
util::Tone tone_of_cell(const Table& table, const std::vector<std::string>& row, std::size_t column) {
  const std::string& heading = table.columns()[column].heading;
  const bool is_row = table.columns().front().heading.empty() && column > 0 && !row.front().empty();
  return tone_of(is_row ? row.front() : heading, row[column]);
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

std::string Table::plain(bool colour) const {
  const Grid grid = layout(*this, 1, [](const std::string& cell) { return util::one_line(cell); });
  std::string out;
  const auto add = [&](const std::vector<std::string>& cells, const auto& tone) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) line += "  ";
      line += padded(cells[i], grid.widths[i], m_columns[i].align, colour ? tone(i) : util::Tone::plain);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add(grid.headings, [](std::size_t) { return util::Tone::heading; });
  std::vector<std::string> rule;
  for (const std::size_t width : grid.widths) {
    std::string& dashes = rule.emplace_back();
    for (std::size_t i = 0; i < width; ++i) dashes += "─";
  }
  add(rule, [](std::size_t) { return util::Tone::faint; });
  for (const auto& row : grid.rows) add(row, [&](std::size_t i) { return tone_of_cell(*this, row, i); });
  return out;
}

std::string Table::csv() const {
  std::vector<std::string> headings;
  for (const Column& column : m_columns) headings.push_back(column.heading);
  std::string out = csv_line(headings);
  for (const auto& row : m_rows) out += csv_line(row);
  return out;
}

namespace {

constexpr std::size_t gap = 2;
/// Narrower than this a column of words is no column any more …
constexpr std::size_t least_wrapped_width = 18;
/// … and narrower than this it is worse than another column left out.
constexpr std::size_t readable_width = 28;

std::size_t natural_width(const Table& table, std::size_t column) {
  std::size_t width = display_width(util::one_line(table.columns()[column].heading));
  for (const auto& row : table.rows()) width = std::max(width, display_width(util::one_line(row[column])));
  return width;
}

bool has_cells(const Table& table, std::size_t column) {
  return std::any_of(table.rows().begin(), table.rows().end(),
                     [&](const auto& row) { return !row[column].empty(); });
}

/// The table with the columns that `keeps` is true for.
template <typename Keeps>
Table with_columns(const Table& table, const Keeps& keeps) {
  std::vector<std::size_t> kept;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (!keeps(i)) continue;
    kept.push_back(i);
    columns.push_back(table.columns()[i]);
  }
  Table out(std::move(columns));
  for (const auto& row : table.rows()) {
    std::vector<std::string> cells;
    for (const std::size_t i : kept) cells.push_back(row[i]);
    out.add_row(std::move(cells));
  }
  return out;
}

std::size_t least_width(const Table& table, std::size_t column, std::size_t least_wrapped) {
  const std::size_t natural = natural_width(table, column);
  if (!table.columns()[column].wraps) return natural;
  return std::min(natural, std::max(least_wrapped, display_width(table.columns()[column].heading)));
}

/// What a terminal must have for all columns.
std::size_t least_width(const Table& table, std::size_t least_wrapped) {
  std::size_t total = gap * (table.columns().size() - 1);
  for (std::size_t i = 0; i < table.columns().size(); ++i) total += least_width(table, i, least_wrapped);
  return total;
}

/// The column that is left out first; nothing where none may be.
std::optional<std::size_t> least_needed(const Table& table) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const int drop = table.columns()[i].drop;
    if (drop > 0 && (!found || drop <= table.columns()[*found].drop)) found = i;
  }
  return found;
}

/// Takes from the widest column that wraps until the table fits; empty where it cannot.
std::vector<std::size_t> fitting_widths(const Table& table, std::size_t columns) {
  if (least_width(table, least_wrapped_width) > columns) return {};
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns().size(); ++i) widths.push_back(natural_width(table, i));
  std::size_t total = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  for (; total > columns; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool shrinks = widths[i] > least_width(table, i, least_wrapped_width);
      if (shrinks && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    --*widest;
  }
  return widths;
}

/// The table with a row for each line of its wrapped cells; its headings and rule as plain() has them.
std::string wrapped_table(const Table& table, const std::vector<std::size_t>& widths, bool colour) {
  Table lines(table.columns());
  for (const auto& row : table.rows()) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(table.columns()[i].wraps ? util::wrapped(row[i], widths[i])
                                               : std::vector<std::string>{row[i]});
      height = std::max(height, cells.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) {
      std::vector<std::string> parts;
      for (const auto& cell : cells) parts.push_back(line < cell.size() ? cell[line] : "");
      lines.add_row(std::move(parts));
    }
  }
  return lines.plain(colour);
}

}  // namespace

std::size_t Table::width() const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    if (has_cells(*this, i)) total += (total == 0 ? 0 : gap) + natural_width(*this, i);
  }
  return total;
}

std::string Table::fitted(const Screen& screen, std::string_view elsewhere) const {
  const std::size_t columns = screen.columns;
  Table table = with_columns(*this, [&](std::size_t i) { return has_cells(*this, i); });
  if (table.columns().empty()) return "";
  const std::size_t for_all = least_width(table, readable_width);
  std::vector<std::string> left_out;
  while (least_width(table, readable_width) > columns) {
    const auto next = least_needed(table);
    if (!next) break;
    left_out.insert(left_out.begin(), table.columns()[*next].heading);
    table = with_columns(table, [&](std::size_t i) { return i != *next; });
  }
  const std::vector<std::size_t> widths = fitting_widths(table, columns);
  if (widths.empty()) return blocks(screen);
  std::string text = wrapped_table(table, widths, screen.colour);
  if (left_out.empty()) return text;
  return text + util::wrapped_text(
                    fmt::format("columns not shown: {} ({} columns{}{} show all)", fmt::join(left_out, ", "),
                                for_all, elsewhere.empty() ? "" : " or ", elsewhere),
                    columns, 2);
}

std::string Table::blocks(const Screen& screen) const {
  const std::size_t columns = screen.columns;
  std::size_t names = 0;
  for (std::size_t i = 1; i < m_columns.size(); ++i) {
    const std::size_t own = display_width(m_columns[i].heading);
    if (has_cells(*this, i) && own <= columns / 2) names = std::max(names, own);
  }
  constexpr std::size_t indent = 2;
  constexpr std::size_t least_value = 8;
  const std::size_t begin = indent + names + gap;
  const std::size_t width = columns > begin + least_value ? columns - begin : least_value;
  std::string out;
  for (const auto& row : m_rows) {
    if (!out.empty()) out += '\n';
    const bool is_titled = !m_columns.front().heading.empty() || !row.front().empty();
    if (is_titled) out += util::wrapped_text(row.front(), columns, indent);
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (row[i].empty()) continue;
      const std::string& name = m_columns[i].heading;
      std::string head = std::string(indent, ' ') + name;
      if (display_width(name) > names) out += util::wrapped_text(std::exchange(head, ""), columns, indent);
      head.resize(head.size() + begin - display_width(head), ' ');
      const util::Tone tone = screen.colour ? tone_of_cell(*this, row, i) : util::Tone::plain;
      for (const std::string& line : util::wrapped(row[i], width)) {
        out += head + util::painted(line, tone) + '\n';
        head.assign(begin, ' ');
      }
    }
  }
  return out;
}

}  // namespace reports
