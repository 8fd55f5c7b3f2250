#include "tuner/cli/output.hpp"

#include <unistd.h>

#include <charconv>
#include <optional>

#include "reports/json.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/cli/same_database.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

answers::Style AnswerStyle::style(int descriptor) {
  return {[this](const model::Digest& trial) { return m_ids.of(trial); }, terminal::columns_of(descriptor)};
}

answers::Style AnswerStyle::for_stdout() {
  return style(STDOUT_FILENO);
}

answers::Style AnswerStyle::for_stderr() {
  return style(STDERR_FILENO);
}

std::size_t stdout_columns() {
  return terminal::columns_of(STDOUT_FILENO);
}

void write_prose(const std::string& text, std::size_t hanging) {
  write_out(util::wrapped_text(in_same_database(text), stdout_columns(), hanging));
}

namespace {

using reports::Json;

std::optional<std::int64_t> whole_number(const std::string& cell) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return number;
}

Json cell_json(const reports::Column& column, const std::string& cell) {
  if (cell.empty()) return nullptr;
  if (column.align == reports::Align::right)
    if (const auto number = whole_number(cell)) return *number;
  return cell;
}

std::string table_json(const reports::Table& table, const std::string& name) {
  Json rows = Json::array();
  for (const auto& row : table.rows()) {
    Json& object = rows.emplace_back(Json::object());
    for (std::size_t i = 0; i < row.size(); ++i)
      object[table.columns()[i].heading] = cell_json(table.columns()[i], row[i]);
  }
  Json out = {{"schema_version", 1}};
  out[name] = std::move(rows);
  return reports::json_text(out);
}

}  // namespace

void write_table(const reports::Table& table, const std::string& name, const std::string& format) {
  if (format == "csv") return write_out(table.csv());
  if (format == "json") return write_out(table_json(table, name));
  write_out(table.fitted(stdout_columns(), "--format csv or json"));
}

}  // namespace tuner::cli
