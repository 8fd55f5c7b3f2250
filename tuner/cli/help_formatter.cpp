#include "tuner/cli/help_formatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tuner/cli/command_shape.hpp"
#include "tuner/util/text.hpp"
#include "tuner/util/wrap.hpp"

namespace tuner::cli {
namespace {

/// Each line behind `indent` blanks and with its end.
std::string indented(const std::vector<std::string>& lines, std::size_t indent) {
  std::string out;
  for (const std::string& line : lines) out += std::string(indent, ' ') + line + '\n';
  return out;
}

/// `first` stands where the first line's indentation would.
std::string hung_behind(const std::string& first, const std::vector<std::string>& lines, std::size_t indent) {
  return first + indented(lines, indent).substr(std::min(indent, first.size()));
}

std::string example_lines(std::string_view command, std::size_t columns) {
  const bool is_first = command.starts_with(example_mark);
  const std::string head = is_first ? example_mark : std::string(std::string_view(example_mark).size(), ' ');
  if (is_first) command.remove_prefix(head.size());
  return hung_behind(head, util::wrapped_command(command, columns - head.size()), head.size());
}

}  // namespace

HelpFormatter::HelpFormatter(std::size_t columns) : m_columns(std::clamp<std::size_t>(columns, 20, 120)) {
  column_width(std::min<std::size_t>(30, m_columns / 3));
}

std::string HelpFormatter::entry(const std::string& head, const std::string& description,
                                 std::size_t column) const {
  std::vector<std::string> names = util::filled(head, m_columns - 4);
  for (std::size_t i = 1; i < names.size(); ++i) names[i].insert(0, "  ");
  if (description.empty()) return indented(names, 2);
  const std::vector<std::string> lines = util::filled(description, m_columns - column);
  const std::size_t width = util::display_width(names.back()) + 2;
  if (names.size() > 1 || width + 2 > column) return indented(names, 2) + indented(lines, column);
  return hung_behind("  " + names.front() + std::string(column - width, ' '), lines, column);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string help = Formatter::make_help(app, std::move(name), mode);
  while (help.ends_with("\n\n")) help.pop_back();  // without a footer
  return help;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return indented(util::filled(app->get_description(), m_columns), 0) + '\n';
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  const std::string usage = Formatter::make_usage(app, std::move(name));
  const std::string head = "Usage: ";
  return hung_behind(head, util::filled(util::trimmed(usage).substr(head.size()), m_columns - head.size()),
                     head.size());
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool /*is_positional*/) const {
  const ArgumentShape argument = argument_shape(*option);
  std::string head = fmt::format("{}", fmt::join(argument.names, ","));
  if (!argument.value.name.empty()) head += ' ' + argument.value.name;
  if (argument.many) head += " ...";
  if (argument.required) head += " REQUIRED";
  return entry(head, argument.description, get_column_width());
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  std::size_t longest = 0;
  for (const CommandShape& one : command_shape(*command->get_parent()).commands) {
    longest = std::max(longest, one.name.size());
  }
  return entry(command->get_name(), command->get_description(), std::min(get_column_width(), longest + 4));
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string out;
  for (const Paragraph& paragraph : paragraphs(app->get_footer())) {
    out += paragraph.is_command ? example_lines(paragraph.text, m_columns)
                                : indented(util::filled(paragraph.text, m_columns), 0);
  }
  return out;
}

}  // namespace tuner::cli
