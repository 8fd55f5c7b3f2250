#include "tuner/cli/command_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/settings.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::vector<std::string> parts_of(std::string_view text, std::string_view mark) {
  std::vector<std::string> parts;
  while (!text.empty()) parts.emplace_back(util::split_first(text, mark));
  return parts;
}

/// `t4`, `kernel-tuner`; not `20s-gpu`, which is an example.
bool is_plain_word(const std::string& text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-0123456789";
  return !text.empty() && text.front() >= 'a' && text.find_first_not_of(letters) == std::string::npos;
}

/// The kind of words that a flag's value is, by the flag: the same everywhere.
std::string asked_for(const CLI::Option& option) {
  struct Kind {
    const char* name;
    const char* words;
  };
  static constexpr Kind kinds[] = {
      {"--kernel", "kernels"}, {"what", "kernels"}, {"--family", "families"}, {"--strategy", "strategies"},
      {"--sizes", "sizes"},    {"--size", "sizes"}, {"SIZE", "sizes"},        {"TRIAL", "trials"},
      {"A", "trials"},         {"B", "trials"},     {"--gpu", "gpus"},        {"--same-bits-as", "trials"}};
  for (const Kind& kind : kinds)
    if (option.check_name(kind.name)) return kind.words;
  return "";
}

ValueShape value_shape(const CLI::Option& option) {
  ValueShape value;
  if (option.get_type_size() == 0) return value;  // a switch
  value.name = option.get_type_name();
  value.asks = asked_for(option);
  const auto names = [&](const char* kind) { return value.name.find(kind) != std::string::npos; };
  value.is_folder = names("FOLDER") || names("DIR");
  value.is_file = !value.is_folder && (names("FILE") || names("PATH") || names("SPEC"));
  if (names("|")) {
    for (std::string& word : parts_of(value.name, "|")) {
      if (is_plain_word(word)) value.choices.push_back(std::move(word));
    }
  }
  return value;
}

ArgumentShape argument_shape(const CLI::Option& option) {
  ArgumentShape argument;
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (argument.names.empty()) argument.names.push_back(option.get_name(true, false));
  argument.value = value_shape(option);
  argument.description = option.get_description();
  if (!option.get_default_str().empty())
    argument.description += " (default: " + option.get_default_str() + ")";
  argument.required = option.get_required();
  argument.many = option.get_expected_max() > 1;
  return argument;
}

}  // namespace

CommandShape command_shape(const CLI::App& app) {
  CommandShape shape;
  shape.name = app.get_name();
  shape.group = app.get_group();
  shape.description = app.get_description();
  shape.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    ArgumentShape argument = argument_shape(*option);
    (argument.is_flag() ? shape.flags : shape.values).push_back(std::move(argument));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) shape.commands.push_back(command_shape(*command));
  }
  return shape;
}

namespace {

constexpr const char* example_mark = "Example: ";

/// A text of the program's, a description or a footer, cut up: each paragraph is to be wrapped, or is a
/// command that is typed as it is. A line break is a blank, as in Markdown, unless an empty line follows, or
/// the next line begins with `Example: ` or with blanks.
struct Paragraph {
  std::string text;
  bool is_command = false;
};

std::vector<Paragraph> paragraphs(const std::string& text) {
  std::vector<Paragraph> all;
  bool goes_on = false;
  for (const std::string& line : parts_of(text, "\n")) {
    const std::string_view words = util::trimmed(line);
    const bool is_command = line.starts_with(example_mark) || line.starts_with(' ');
    if (words.empty()) {
      goes_on = false;
      continue;
    }
    if (goes_on && !is_command) {
      all.back().text += ' ';
      all.back().text += words;
      continue;
    }
    all.push_back({std::string(words), is_command});
    goes_on = !is_command;
  }
  return all;
}

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

/// Headings, and the names of commands and flags: what stands after two blanks, as far as two more.
std::string painted_help(const std::string& help) {
  std::string out;
  for (const std::string& line : parts_of(help, "\n")) {
    const bool is_entry = line.starts_with("  ") && line.size() > 2 && line[2] != ' ';
    if (line.ends_with(':') && !line.starts_with(' ')) {
      out += util::painted(line, util::Tone::heading);
    } else if (is_entry) {
      const std::size_t end = std::min(line.find("  ", 2), line.size());
      out += "  " + util::painted(line.substr(2, end - 2), util::Tone::name) + line.substr(end);
    } else {
      out += line;
    }
    out += '\n';
  }
  return out;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(const reports::Screen& screen)
      : m_columns(std::clamp<std::size_t>(screen.columns, 20, 120)), m_colour(screen.colour) {
    column_width(std::min<std::size_t>(30, m_columns / 3));
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = Formatter::make_help(app, std::move(name), mode);
    while (help.ends_with("\n\n")) help.pop_back();  // without a footer
    for (std::size_t gap = 0; (gap = help.find("\n\n\n")) != std::string::npos;) help.erase(gap, 1);
    return m_colour ? painted_help(help) : help;
  }

  std::string make_description(const CLI::App* app) const override {
    return indented(util::filled(app->get_description(), m_columns), 0) + '\n';
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    const std::string usage = Formatter::make_usage(app, std::move(name));
    const std::string head = "Usage: ";
    return hung_behind(head, util::filled(util::trimmed(usage).substr(head.size()), m_columns - head.size()),
                       head.size());
  }

  std::string make_option(const CLI::Option* option, bool /*is_positional*/) const override {
    const ArgumentShape argument = argument_shape(*option);
    std::string head = fmt::format("{}", fmt::join(argument.names, ","));
    if (!argument.value.name.empty()) head += ' ' + argument.value.name;
    if (argument.many) head += " ...";
    if (argument.required) head += " REQUIRED";
    return entry(head, argument.description, get_column_width());
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : '[' + name + ']';
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::size_t longest = 0;
    for (const CommandShape& one : command_shape(*command->get_parent()).commands) {
      longest = std::max(longest, one.name.size());
    }
    return entry(command->get_name(), command->get_description(), std::min(get_column_width(), longest + 4));
  }

  std::string make_footer(const CLI::App* app) const override {
    std::string out;
    for (const Paragraph& paragraph : paragraphs(app->get_footer())) {
      out += paragraph.is_command ? example_lines(paragraph.text, m_columns)
                                  : indented(util::filled(paragraph.text, m_columns), 0);
    }
    return out;
  }

 private:
  std::string entry(const std::string& head, const std::string& description, std::size_t column) const {
    std::vector<std::string> names = util::filled(head, m_columns - 4);
    for (std::size_t i = 1; i < names.size(); ++i) names[i].insert(0, "  ");
    if (description.empty()) return indented(names, 2);
    const std::vector<std::string> lines = util::filled(description, m_columns - column);
    const std::size_t width = util::display_width(names.back()) + 2;
    if (names.size() > 1 || width + 2 > column) return indented(names, 2) + indented(lines, column);
    return hung_behind("  " + names.front() + std::string(column - width, ' '), lines, column);
  }

  std::size_t m_columns;
  bool m_colour;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(const reports::Screen& screen) {
  return std::make_shared<HelpFormatter>(screen);
}

namespace {

/// Text as roff prints it: no character of it is a request, and a hyphen can be copied into a shell.
std::string roff(std::string_view text) {
  constexpr std::string_view marks = "-\\`'~^\n";
  constexpr const char* written[] = {"\\-", "\\e", "\\(ga", "\\(aq", "\\(ti", "\\(ha", " "};
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    const std::size_t mark = marks.find(c);
    out += mark == std::string_view::npos ? std::string(1, c) : written[mark];
  }
  return out;
}

std::string roff_bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string roff_entry(const ArgumentShape& argument) {
  std::string head;
  for (const std::string& name : argument.names) head += (head.empty() ? "" : ", ") + roff_bold(name);
  if (argument.is_flag() && !argument.value.name.empty())
    head += " \\fI" + roff(argument.value.name) + "\\fR";
  if (argument.many) head += " ...";
  return fmt::format(".TP\n{}\n{}\n", head, roff(argument.description));
}

std::string roff_paragraphs(const std::string& text) {
  std::string out;
  for (const Paragraph& paragraph : paragraphs(text)) {
    if (!paragraph.is_command) {
      out += fmt::format(".PP\n{}\n", roff(paragraph.text));
      continue;
    }
    std::string_view command = paragraph.text;
    if (command.starts_with(example_mark)) command.remove_prefix(std::string_view(example_mark).size());
    out += fmt::format(".PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(command));
  }
  return out;
}

std::string roff_command(const CommandShape& command, const std::string& path) {
  std::string usage = roff_bold(path);
  if (!command.flags.empty()) usage += " [\\fIOPTIONS\\fR]";
  for (const ArgumentShape& value : command.values) {
    const std::string name = "\\fI" + roff(value.names.front()) + "\\fR" + (value.many ? "..." : "");
    usage += value.required ? ' ' + name : " [" + name + ']';
  }
  if (!command.commands.empty()) usage += " \\fICOMMAND\\fR";
  std::string out = fmt::format(".SS {}\n{}\n.PP\n{}\n", roff(path), usage, roff(command.description + '.'));
  for (const ArgumentShape& value : command.values) out += roff_entry(value);
  for (const ArgumentShape& flag : command.flags) out += roff_entry(flag);
  out += roff_paragraphs(command.footer);
  for (const CommandShape& below : command.commands) out += roff_command(below, path + ' ' + below.name);
  return out;
}

std::string roff_environment() {
  std::string out;
  for (const config::KnownSetting& setting : config::known_settings()) {
    out += fmt::format(".TP\n{}\n{}, as {}\n", roff_bold(config::variable_name(setting.name)),
                       roff(setting.description), roff_bold(config::flag_name(setting.name)));
  }
  return out;
}

constexpr const char* roff_files = R"roff(.SH FILES
.TP
\fItuner.toml\fR
Settings of a project: in the working folder or the nearest folder above it within its git repository.
.TP
\fI$XDG_CONFIG_HOME/tuner/tuner.toml\fR
Settings of a user.
.TP
\fI$XDG_DATA_HOME/tuner/tuner.db\fR
Every result, unless \fB\-\-db\fR names another file.
.TP
\fI$XDG_CACHE_HOME/tuner\fR
Compiled binaries, which may be removed at any time.
)roff";

}  // namespace

std::string manual_page(const CommandShape& program, const std::string& version) {
  std::string out = fmt::format(
      ".\\\" Made by `tuner manual`.\n.TH TUNER 1 \"\" \"tuner {}\" \"User Commands\"\n", roff(version));
  out += fmt::format(".SH NAME\n{} \\- finds the fastest configuration of CUDA kernels\n", program.name);
  out += fmt::format(".SH SYNOPSIS\n{} \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n", roff_bold(program.name));
  out += fmt::format(".SH DESCRIPTION\n{}\n", roff(program.description)) + roff_paragraphs(program.footer);
  out += ".SH OPTIONS\n";
  for (const ArgumentShape& flag : program.flags) out += roff_entry(flag);
  out += ".SH COMMANDS\n";
  for (const CommandShape& command : program.commands)
    out += roff_command(command, program.name + ' ' + command.name);
  out += ".SH ENVIRONMENT\nA variable is stronger than a file and weaker than a flag.\n" + roff_environment();
  return out + roff_files;
}

}  // namespace tuner::cli
