#pragma once
#include <string>

#include "db/ids.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli {

/// How answers from a database are written, to each of the two streams. Must outlive what it gave.
class AnswerStyle {
 public:
  explicit AnswerStyle(const db::Connection& connection) : m_ids(connection) {}
  answers::Style for_stdout();
  answers::Style for_stderr();

 private:
  answers::Style style(int descriptor);
  db::ShortIds m_ids;
};

/// Columns of the terminal behind standard output.
std::size_t stdout_columns();

/// Sentences on standard output, broken to its width, with `hanging` blanks before the lines behind the
/// first.
void write_prose(const std::string& text, std::size_t hanging = 2);

/// A table on standard output: `table` fitted to the terminal, `csv` by Table::csv(), `json` an object with
/// `schema_version` and, called `name`, a list with an object for each row, its members called as the
/// columns. There an empty cell is null and a whole number of a right-aligned column is a number.
void write_table(const reports::Table& table, const std::string& name, const std::string& format);

}  // namespace tuner::cli
