#pragma once
#include <string>

#include "reports/table.hpp"

namespace CLI {
class App;
}

namespace tuner::cli {

/// Adds `--format table|csv|json`; `format` becomes `table` where it is not given.
void add_table_format(CLI::App& command, std::string& format);

/// A table on standard output: `table` fitted to the terminal, `csv` by Table::csv(), `json` an object with
/// `schema_version` and, called `name`, a list with an object for each row, its members called as the
/// columns. There an empty cell is null and a whole number of a right-aligned column is a number.
void write_table(const reports::Table& table, const std::string& name, const std::string& format);

}  // namespace tuner::cli
