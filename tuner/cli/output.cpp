#include "tuner/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>

#include "reports/json.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/receiving_stream.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

void write_all(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

/// What this process writes to: as its streams, there is one of it.
struct Streams {
  bool quiet = false;
  bool colour_out = false;
  bool colour_err = false;
  bool links_err = false;
  bool pages = false;
  std::unique_ptr<terminal::Pager> pager;
  std::string database;  ///< see database_flag()
};

Streams& streams() {
  static Streams all;
  return all;
}

/// Whether what begins with `tuner ` is a command with a database.
bool takes_database(std::string_view command) {
  constexpr std::string_view names[] = {"baseline",  "best",   "compare", "compile", "cover",
                                        "explain",   "export", "forget",  "import",  "list failures",
                                        "list runs", "merge",  "pack",    "plan",    "profile",
                                        "refresh",   "report", "run",     "show",    "top"};
  constexpr std::string_view program = "tuner ";
  const std::string_view words = command.substr(program.size());
  const auto begins = [&](std::string_view name) {
    return words.starts_with(name) && (words.size() == name.size() || words[name.size()] == ' ');
  };
  const bool names_its_own = begins("compare") && words.find(".db") != std::string_view::npos;
  return !names_its_own && std::ranges::any_of(names, begins);
}

/// Where a command that ends a sentence does: a word in quotes may hold anything.
std::size_t end_of_words(const std::string& text, std::size_t begin) {
  bool is_quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\'') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text[i] == ';' || text[i] == '\n') return i;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

/// Whether the command at `begin` is one to be given: between backticks, or at the end of a sentence.
/// Returns where it ends; npos: it is none.
std::size_t end_of_command(const std::string& text, std::size_t begin) {
  if (begin == 0) return std::string::npos;
  if (text[begin - 1] == '`') return text.find('`', begin);
  const std::string_view before = std::string_view(text).substr(0, begin);
  if (!before.ends_with(": ") && !before.ends_with("example ")) return std::string::npos;
  return end_of_words(text, begin);
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

void set_manner(const Manner& manner) {
  Streams& all = streams();
  all.quiet = manner.quiet;
  all.colour_out = terminal::open_terminal(STDOUT_FILENO, manner.colour).colour;
  const terminal::Terminal err = terminal::open_terminal(STDERR_FILENO, manner.colour);
  all.colour_err = err.colour;
  all.links_err = err.links;
}

bool is_quiet() {
  return streams().quiet;
}

void page_answers() {
  streams().pages = true;
}

void end_output() {
  streams().pages = false;
  streams().pager.reset();
}

void write_out(std::string_view text) {
  if (std::exchange(streams().pages, false)) streams().pager = terminal::Pager::open();
  errno = 0;
  write_all(stdout, text);
  if (std::ferror(stdout) && errno != EPIPE) {
    throw model::Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

namespace {

/// The words before the first `:` say what kind of message it is.
std::string with_label_painted(std::string text, util::Tone tone) {
  const std::size_t end = text.find(':') + 1;
  return text.replace(0, end, util::painted(std::string_view(text).substr(0, end), tone));
}

/// A command at the end that would be broken stands below, as a shell takes it.
std::string message_text(const std::string& text) {
  std::string all = in_same_database(text);
  const std::size_t columns = terminal::columns_of(STDERR_FILENO);
  const std::size_t colon = all.rfind(": tuner ");
  if (colon != std::string::npos && all.find_first_of(";\n", colon) == std::string::npos &&
      util::display_width(all) > columns)
    all.replace(colon + 1, std::string::npos, pasteable(all.substr(colon + 2)));
  return util::wrapped_message(all, columns);
}

}  // namespace

void write_err(const std::string& text, const std::string& file) {
  const bool is_warning = text.starts_with("warning:");
  if (streams().quiet && !is_warning) return;
  std::string message = message_text(text);
  const bool has_label = is_warning || text.starts_with("provisional:");
  if (has_label && streams().colour_err)
    message = with_label_painted(std::move(message), util::Tone::warning);
  const std::size_t at = message.find(file);
  if (!file.empty() && streams().links_err && at != std::string::npos)
    message.replace(at, file.size(), terminal::linked(file));
  write_all(stderr, message);
}

void write_problem(const std::string& text) {
  write_all(stderr, message_text(text));
}

void write_error(const std::string& message, const std::string& hint) {
  std::string text = message_text("tuner: " + message);
  if (streams().colour_err) text = with_label_painted(std::move(text), util::Tone::error);
  write_all(stderr, text);
  if (!hint.empty()) write_all(stderr, message_text("  " + hint));
}

void write_block(const std::string& text) {
  if (streams().quiet) return;
  write_all(stderr, text);
}

std::string pasteable(const std::string& command) {
  std::string out;
  for (const std::string& line : util::wrapped_command(command, terminal::columns_of(STDERR_FILENO) - 2))
    out += "\n  " + line;
  return out;
}

void deliver(const std::string& path, std::string_view text) {
  deliver(path, [&](std::ostream& out) { out << text; });
}

void deliver(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::optional<util::OutputFile> file;
  using Packing = util::OutputFile::Packing;
  if (!is_stdout(path))
    file.emplace(path, "give another path", path.ends_with(".gz") ? Packing::gzip : Packing::none);
  util::ReceivingStream out([&](std::string_view text) { file ? file->write(text) : write_out(text); });
  write(out);
  if (file) file->finish();
}

void require_deliverable(const std::string& path) {
  if (is_stdout(path)) return;
  util::require_no_database(path, "nothing was done; give another path");
  util::require_writable(path, "nothing was done; give another path");
}

void name_database(const std::string& path) {
  streams().database = " --db " + util::shell_quote(path);
}

std::string database_flag() {
  return streams().database;
}

std::string in_same_database(std::string text) {
  const std::string& flag = streams().database;
  if (flag.empty()) return text;
  for (std::size_t at = text.find("tuner "); at != std::string::npos; at = text.find("tuner ", at + 1)) {
    const std::size_t end = end_of_command(text, at);
    if (end == std::string::npos) continue;
    const std::string_view command = std::string_view(text).substr(at, end - at);
    if (!takes_database(command) || command.find(" --db") != std::string_view::npos) continue;
    text.insert(end, flag);
  }
  return text;
}

answers::Style answer_style(const db::Connection& connection) {
  return {[ids = std::make_shared<db::ShortIds>(connection)](const model::Digest& trial) {
            return ids->of(trial);
          },
          stdout_screen(), in_same_database};
}

std::size_t stdout_columns() {
  return terminal::columns_of(STDOUT_FILENO);
}

reports::Screen stdout_screen() {
  return {stdout_columns(), streams().colour_out};
}

void write_prose(const std::string& text, std::size_t hanging) {
  write_out(util::wrapped_text(in_same_database(text), stdout_columns(), hanging));
}

void write_table(const reports::Table& table, const std::string& name, const std::string& format) {
  if (format == "csv") return write_out(table.csv());
  if (format == "json") return write_out(table_json(table, name));
  write_out(table.fitted(stdout_screen(), "--format csv or json"));
}

}  // namespace tuner::cli
