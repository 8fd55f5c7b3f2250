#include "tuner/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "reports/json.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

void write_all(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

std::string& flag() {
  static std::string words;  // as stderr, which it is for, there is one
  return words;
}

/// Whether what begins with `tuner ` is a command with a database.
bool takes_database(std::string_view command) {
  constexpr std::array<std::string_view, 16> names = {
      "baseline",      "best",      "compare", "compile", "cover", "export",  "forget", "import",
      "list failures", "list runs", "merge",   "pack",    "plan",  "refresh", "report", "run"};
  constexpr std::string_view show = "show";
  constexpr std::string_view program = "tuner ";
  const std::string_view words = command.substr(program.size());
  const auto begins = [&](std::string_view name) {
    return words.starts_with(name) && (words.size() == name.size() || words[name.size()] == ' ');
  };
  const bool names_its_own = begins("compare") && words.find(".db") != std::string_view::npos;
  return !names_its_own && (begins(show) || std::ranges::any_of(names, begins));
}

/// Whether the command at `begin` is one to be given: between backticks, or at the end of a sentence.
/// Returns where it ends; npos: it is none.
std::size_t end_of_command(const std::string& text, std::size_t begin) {
  if (begin == 0) return std::string::npos;
  if (text[begin - 1] == '`') return text.find('`', begin);
  const std::string_view before = std::string_view(text).substr(0, begin);
  if (!before.ends_with(": ") && !before.ends_with("example ")) return std::string::npos;
  return std::min(text.find_first_of(";\n", begin), text.size());
}

using reports::Json;

Json cell_json(const reports::Column& column, const std::string& cell) {
  if (cell.empty()) return nullptr;
  if (column.align == reports::Align::right)
    if (const auto number = util::parse_number<std::int64_t>(cell)) return *number;
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

void write_out(const std::string& text) {
  errno = 0;
  write_all(stdout, text);
  if (std::ferror(stdout) && errno != EPIPE) {
    throw model::Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

void write_err(const std::string& text) {
  write_all(stderr, util::wrapped_message(in_same_database(text), terminal::columns_of(STDERR_FILENO)));
}

void write_block(const std::string& text) {
  write_all(stderr, text);
}

std::string pasteable(const std::string& command) {
  std::string out;
  for (const std::string& line : util::wrapped_command(command, terminal::columns_of(STDERR_FILENO) - 2))
    out += "\n  " + line;
  return out;
}

void deliver(const std::string& path, const std::string& text) {
  if (is_stdout(path)) return write_out(text);
  util::write_file(path, text, "give another path with -o");
}

void require_deliverable(const std::string& path) {
  if (!is_stdout(path)) util::require_writable(path, "nothing was done; give another path");
}

void name_database(const std::string& path) {
  flag() = " --db " + util::shell_quote(path);
}

std::string database_flag() {
  return flag();
}

std::string in_same_database(std::string text) {
  if (flag().empty()) return text;
  for (std::size_t at = text.find("tuner "); at != std::string::npos; at = text.find("tuner ", at + 1)) {
    const std::size_t end = end_of_command(text, at);
    if (end == std::string::npos) continue;
    const std::string_view command = std::string_view(text).substr(at, end - at);
    if (!takes_database(command) || command.find(" --db") != std::string_view::npos) continue;
    text.insert(end, flag());
  }
  return text;
}

answers::Style answer_style(const db::Connection& connection) {
  return {[ids = std::make_shared<db::ShortIds>(connection)](const model::Digest& trial) {
            return ids->of(trial);
          },
          stdout_columns()};
}

std::size_t stdout_columns() {
  return terminal::columns_of(STDOUT_FILENO);
}

void write_prose(const std::string& text, std::size_t hanging) {
  write_out(util::wrapped_text(in_same_database(text), stdout_columns(), hanging));
}

void write_table(const reports::Table& table, const std::string& name, const std::string& format) {
  if (format == "csv") return write_out(table.csv());
  if (format == "json") return write_out(table_json(table, name));
  write_out(table.fitted(stdout_columns(), "--format csv or json"));
}

}  // namespace tuner::cli
