#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tuner/util/text.hpp"

namespace reports {

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
  bool wraps = false;  ///< its cells may be broken over lines where the table is too wide
  int drop = 0;        ///< left out where there is no room for all, 1 before 2; 0: never
};

/// A terminal as far as what is written for it goes: how wide lines may be, and whether words that mean
/// something (tone_of() of text.hpp) have colours. Where only the width matters it is a number.
struct Screen {
  Screen(std::size_t its_columns = 80, bool has_colour = false) : columns(its_columns), colour(has_colour) {}
  operator std::size_t() const { return columns; }

  std::size_t columns;
  bool colour;
};

/// A table of text, rendered with its columns aligned in the source as well. Cells are plain text; each
/// renderer escapes them for its own format.
class Table {
 public:
  Table() = default;
  explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}

  void add_column(std::string heading, Align align = Align::left, bool wraps = false, int drop = 0) {
    m_columns.push_back({std::move(heading), align, wraps, drop});
  }
  /// A row shorter than the heading is filled with empty cells; a longer one throws model::Error.
  void add_row(std::vector<std::string> cells);

  const std::vector<Column>& columns() const { return m_columns; }
  const std::vector<std::vector<std::string>>& rows() const { return m_rows; }
  bool empty() const { return m_rows.empty(); }

  /// A GitHub table, columns padded to equal width.
  std::string markdown() const;
  /// For a terminal: headings, a rule, rows; two spaces between columns, no trailing spaces, no control
  /// characters.
  std::string plain(bool colour = false) const;
  /// Of the widest line of fitted() where there is room for all.
  std::size_t width() const;
  /// For a terminal, no line wider than it: as plain(), without columns that have no cells. Where that
  /// is too wide, the columns that wrap are broken over lines, then columns are left out in the order of
  /// Column::drop. A line below names those, and what shows them: a wider terminal, or `elsewhere`, such as
  /// `--format json`. Where nothing more may be left out: blocks().
  std::string fitted(const Screen& screen, std::string_view elsewhere = "") const;
  /// RFC 4180: headings and rows.
  std::string csv() const;
  /// Each row as a block: its first cell, and below it a line `heading  value` for each cell that is not
  /// empty, broken over lines. A heading wider than half of these has a line of its own. An empty line
  /// between blocks. A first column without heading and cells is left out.
  std::string blocks(const Screen& screen) const;

 private:
  std::vector<Column> m_columns;
  std::vector<std::vector<std::string>> m_rows;
};

}  // namespace reports
