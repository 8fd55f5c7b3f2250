#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
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

/// Of `option` of CLI11. What CLI11 says of a value (`TEXT:{md,html}`, `INT:NONNEGATIVE`) becomes `md|html`,
/// `N`.
ArgumentShape argument_shape(const CLI::Option& option);

/// Without the commands and flags that are not for people, which have no group.
CommandShape command_shape(const CLI::App& app);

/// A text of the program's, a description or a footer, cut up: each paragraph is to be wrapped, or is a
/// command that is typed as it is. A line break is a blank, as in Markdown, unless an empty line follows, or
/// the next line begins with `Example: ` or with blanks.
struct Paragraph {
  std::string text;
  bool is_command = false;
};
std::vector<Paragraph> paragraphs(const std::string& text);
inline constexpr const char* example_mark = "Example: ";

/// The help of a command for a window of `columns` columns: no line is wider, however long a description, a
/// footer or what a flag takes; only a word of an example may be, since a command that was cut would be
/// another.
class HelpFormatter final : public CLI::Formatter {
 public:
  /// Windows narrower than 20 columns count as 20. Text is never wider than 120: lines that long are hard to
  /// read.
  explicit HelpFormatter(const reports::Screen& screen);

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_usage(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string entry(const std::string& head, const std::string& description, std::size_t column) const;

  std::size_t m_columns;
  bool m_colour;
};

/// tuner(1): `program` with all its commands and flags, the environment variables of every setting, and the
/// files, for `man`. `version` stands at its foot.
std::string manual_page(const CommandShape& program, const std::string& version);

}  // namespace tuner::cli
