#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "reports/table.hpp"

namespace tuner::cli {

/// What stands behind a flag, or in a place of its own.
struct ValueShape {
  std::string name;                  ///< for people: `FILE`, `warm|cold`; empty where nothing is taken
  std::vector<std::string> choices;  ///< words that may be given; others may be, too, where is_file is set
  bool is_file = false;              ///< it may be a file
  bool is_folder = false;            ///< it may be a folder and nothing else of the file system
  std::string asks;  ///< `tuner words` knows more that it can be: `kernels`; empty: it does not
};

/// A flag of a command, or a value without one.
struct ArgumentShape {
  std::vector<std::string> names;  ///< `--kernel` and `-k`; or one without dashes
  ValueShape value;
  std::string description;
  bool required = false;
  bool many = false;  ///< may be given more than once

  bool is_flag() const { return names.front().starts_with('-'); }
};

/// A command as its help, the completions of shells and the manual page tell it: all of them are made of
/// this.
struct CommandShape {
  std::string name;  ///< `tuner`, or `kernels` of `tuner list kernels`
  std::string group;
  std::string description;
  std::string footer;
  std::vector<ArgumentShape> flags;   ///< in the order of the help
  std::vector<ArgumentShape> values;  ///< without a flag, in their order
  std::vector<CommandShape> commands;
};

/// Without the commands and flags that are not for people, which have no group.
CommandShape command_shape(const CLI::App& app);

/// The help of a command for a window of so many columns: no line is wider, however long a description, a
/// footer or what a flag takes; only a word of an example may be, since a command that was cut would be
/// another. Windows narrower than 20 columns count as 20. Text is never wider than 120: lines that long are
/// hard to read.
std::shared_ptr<CLI::FormatterBase> help_formatter(const reports::Screen& screen);

/// tuner(1): `program` with all its commands and flags, the environment variables of every setting, and the
/// files, for `man`. `version` stands at its foot.
std::string manual_page(const CommandShape& program, const std::string& version);

}  // namespace tuner::cli
