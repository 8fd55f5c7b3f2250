#include "tuner/cli/manual_page.hpp"

#include <fmt/format.h>

#include <string_view>

#include "config/known_settings.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Text as roff prints it: no character of it is a request, and a hyphen can be copied into a shell.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else if (c == '`')
      out += "\\(ga";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '^')
      out += "\\(ha";
    else
      out += c == '\n' ? ' ' : c;
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
