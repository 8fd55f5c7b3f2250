#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tuner/cli/completion.hpp"

namespace tuner::cli {
namespace {

/// Within single quotes.
std::string fish_quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '\'';
}

/// ` -x -a 'md html'`: what a value can be. `-r -F` are files, `-x` without words is anything.
std::string fish_value(const ValueShape& value, bool is_flag) {
  std::string out;
  if (value.is_folder) {
    out = is_flag ? " -x -a '(__fish_complete_directories)'" : " -a '(__fish_complete_directories)'";
  } else if (value.is_file) {
    out = is_flag ? " -r -F" : " -F";
  } else if (is_flag) {
    out = " -x";
  }
  if (!value.choices.empty()) out += fmt::format(" -a '{}'", fmt::join(value.choices, " "));
  return out;
}

void add_fish_lines(const CommandShape& command, const std::string& path, std::string& out) {
  const std::string head = fmt::format("complete -c tuner -n '__tuner_at{}'", path);
  for (const ArgumentShape& flag : command.flags) {
    out += head;
    for (const std::string& name : flag.names) {
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!flag.value.name.empty()) out += fish_value(flag.value, true);
    out += fmt::format(" -d {}\n", fish_quote(flag.description));
  }
  for (const ArgumentShape& value : command.values) {
    const std::string what = fish_value(value.value, false);
    if (!what.empty()) out += head + what + '\n';
  }
  for (const CommandShape& below : command.commands) {
    out += fmt::format("complete -c tuner -n '__tuner_chooses{}' -a {} -d {}\n", path, below.name,
                       fish_quote(below.description));
  }
  for (const CommandShape& below : command.commands) add_fish_lines(below, path + ' ' + below.name, out);
}

// No flag of `tuner` itself takes a value, so that the first word is the command; the one below it is the
// first that is no flag.
constexpr const char* fish_head = R"fish(# fish completion for tuner; made by `tuner completion fish`.

# The commands on the line so far: nothing, `list`, or `list runs`.
function __tuner_commands
    set -l words (commandline -opc)
    for word in $words[2..-1]
        string match -q -- '-*' $word; or echo $word
    end
end

# Whether the line is at the command that the arguments name, or at one below it.
function __tuner_at
    set -l commands (__tuner_commands)
    test (count $argv) -eq 0; and test (count $commands) -eq 0; and return 0
    test (count $argv) -gt 0; and test (count $commands) -ge (count $argv); or return 1
    test "$commands[1..$(count $argv)]" = "$argv"
end

# Whether it is at just that command, of which one below is still to be named.
function __tuner_chooses
    set -l commands (__tuner_commands)
    test "$commands" = "$argv"
end

complete -c tuner -f
)fish";

}  // namespace

std::string fish_completion(const CommandShape& program) {
  std::string out = fish_head;
  add_fish_lines(program, "", out);
  return out;
}

}  // namespace tuner::cli
