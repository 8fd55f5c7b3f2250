#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "db/stored_values.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {

/// What was asked for is not there.
struct NothingFound : model::Error {
  explicit NothingFound(const std::string& message, std::string hint = "")
      : Error(message, std::move(hint), model::ExitCode::nothing_found) {}
};

/// How this process speaks. Set once, before anything is said.
struct Manner {
  terminal::Wish colour = terminal::Wish::automatic;
  bool quiet = false;  ///< on stderr, warnings and errors alone
};
void set_manner(const Manner& manner);
bool is_quiet();
/// Standard output goes through a pager where it is a terminal, from the first answer on.
void page_answers();
/// The last of all: nothing is written any more. Waits for the pager.
void end_output();

/// Data for the reader of stdout. Throws model::Error when it cannot be written, except where the reader went
/// away.
void write_out(std::string_view text);
/// A message for people, on stderr, laid out for its width by util::wrapped_message(). Of a quiet process
/// only where it begins with `warning:`. `file`: a path in it, which is a link where the terminal has links.
void write_err(const std::string& text, const std::string& file = "");
/// As write_err(), of a quiet process too: what is wrong, or how to go on.
void write_problem(const std::string& text);
/// What ends a command, and the next step below it.
void write_error(const std::string& message, const std::string& hint);
/// Lines for people, on stderr as they are.
void write_block(const std::string& text);
/// A command to go on with, to end a message for write_err(): on lines of its own below it, each of them no
/// wider than stderr, fit to be pasted into a shell as a whole.
std::string pasteable(const std::string& command);

/// Whether an option that takes a file means standard output: it was left out, or is `-`.
inline bool is_stdout(const std::string& path) {
  return path.empty() || path == "-";
}
/// `text` to standard output or to the file at `path`; see is_stdout() and util::OutputFile. A name that ends
/// with .gz gets it gzipped.
void deliver(const std::string& path, std::string_view text);
/// The same of what `write` gives the stream, and piece by piece, since all of it may fill the memory.
void deliver(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Fails early, before there is anything to write, where `path` could not be written. Throws model::Error
/// naming it.
void require_deliverable(const std::string& path);

/// Says which database this command reads and writes, where it is not the usual one. Once, before anything is
/// said.
void name_database(const std::string& path);

/// ` --db FILE` as it was named, for a command that asks the same database; empty: none was.
std::string database_flag();

/// `text` with `--db FILE` in each command of it that reads or goes on, so that it asks the same database;
/// unchanged as long as none was named.
std::string in_same_database(std::string text);

/// How answers from a database are written on standard output. The connection must outlive it.
answers::Style answer_style(const db::Connection& connection);

/// Columns of the terminal behind standard output.
std::size_t stdout_columns();
/// That terminal, with its colours.
reports::Screen stdout_screen();

/// Sentences on standard output, broken to its width, with `hanging` blanks before the lines behind the
/// first.
void write_prose(const std::string& text, std::size_t hanging = 2);

/// A table on standard output: `table` fitted to the terminal, `csv` by Table::csv(), `json` an object with
/// `schema_version` and, called `name`, a list with an object for each row, its members called as the
/// columns. There an empty cell is null and a whole number of a right-aligned column is a number.
void write_table(const reports::Table& table, const std::string& name, const std::string& format);

}  // namespace tuner::cli
