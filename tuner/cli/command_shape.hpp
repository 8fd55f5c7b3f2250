#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tuner::cli {

/// What stands behind a flag, or in a place of its own.
struct ValueShape {
  std::string name;                  ///< for people: `FILE`, `warm|cold`; empty where nothing is taken
  std::vector<std::string> choices;  ///< words that may be given; others may be, too, where is_file is set
  bool is_file = false;              ///< it may be a file
  bool is_folder = false;            ///< it may be a folder and nothing else of the file system
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

}  // namespace tuner::cli
