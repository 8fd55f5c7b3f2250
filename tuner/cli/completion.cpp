#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/command.hpp"
#include "tuner/cli/command_shape.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// What one shell function answers: a word list for each command, or for a command and one of its flags.
struct BashCases {
  std::string text;
  void add(const std::string& key, const std::vector<std::string>& words) {
    if (!words.empty()) text += fmt::format("    '{}') echo '{}' ;;\n", key, fmt::join(words, " "));
  }
  std::string function(const std::string& name, const std::string& comment) const {
    return fmt::format("# {}\n{}() {{\n  case \"$*\" in\n{}  esac\n}}\n\n", comment, name, text);
  }
};

/// The words that a value can be; FILE and FOLDER stand for what the shell finds itself, `@kernels` for what
/// `tuner words kernels` prints.
std::vector<std::string> bash_answers(const ValueShape& value) {
  std::vector<std::string> words = value.choices;
  if (value.is_file) words.emplace_back("FILE");
  if (value.is_folder) words.emplace_back("FOLDER");
  if (!value.asks.empty()) words.push_back("@" + value.asks);
  return words;
}

struct BashLists {
  BashCases commands, flags, takers, values;

  void add(const CommandShape& command, const std::string& path) {
    std::vector<std::string> names;
    for (const CommandShape& below : command.commands) names.push_back(below.name);
    commands.add(path, names);
    std::vector<std::string> all;
    std::vector<std::string> with_value;
    for (const ArgumentShape& flag : command.flags) {
      all.insert(all.end(), flag.names.begin(), flag.names.end());
      if (flag.value.name.empty()) continue;
      with_value.insert(with_value.end(), flag.names.begin(), flag.names.end());
      for (const std::string& name : flag.names) values.add(path + ' ' + name, bash_answers(flag.value));
    }
    flags.add(path, all);
    takers.add(path, with_value);
    for (const ArgumentShape& value : command.values) values.add(path, bash_answers(value.value));
    for (const CommandShape& below : command.commands) add(below, path + ' ' + below.name);
  }
};

// `=` and `:` are words of their own in COMP_WORDS, unless the user has changed COMP_WORDBREAKS.
constexpr const char* bash_driver = R"bash(_tuner() {
  local current=${COMP_WORDS[COMP_CWORD]} path=tuner awaited= last= word words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == : ]]; then
      awaited=$last
    elif [[ -n $awaited && $word != = ]]; then
      awaited=
    elif [[ $word == -* && " $(_tuner_takers "$path") " == *" $word "* ]]; then
      awaited=$word last=$word
    elif [[ $word != -* && " $(_tuner_commands "$path") " == *" $word "* ]]; then
      path+=" $word"
    fi
  done
  [[ $current == [=:] ]] && current=
  if [[ -z $awaited && $current == -* ]]; then
    words=$(_tuner_flags "$path")
  else
    words=$(_tuner_values "$path${awaited:+ $awaited}")
    [[ -z $awaited ]] && words+=" $(_tuner_commands "$path")"
  fi
  COMPREPLY=()
  case " $words " in
    *' FILE '*) compopt -o default ;;
    *' FOLDER '*) compopt -o dirnames ;;
  esac
  for word in $words; do
    if [[ $word == @* ]]; then
      while IFS=$'\t' read -r last _; do
        printf -v last %q "$last"
        COMPREPLY+=("$last")
      done < <("${COMP_WORDS[0]/#\~/$HOME}" words "${word#@}" -- "$current" "${COMP_WORDS[@]}" 2>/dev/null)
    elif [[ $word != FILE && $word != FOLDER && $word == "$current"* ]]; then
      COMPREPLY+=("$word")
    fi
  done
}
complete -F _tuner tuner
)bash";

/// What has a shell complete a command line of `program`: its commands, their flags, the words that a flag
/// takes, and files where one is taken. To be put where the shell looks for it, or sourced.
std::string bash_completion(const CommandShape& program) {
  BashLists lists;
  lists.add(program, program.name);
  return "# bash completion for tuner; made by `tuner completion bash`.\n\n" +
         lists.commands.function("_tuner_commands", "The commands of a command.") +
         lists.flags.function("_tuner_flags", "Its flags.") +
         lists.takers.function("_tuner_takers", "Its flags behind which a value stands.") +
         lists.values.function("_tuner_values", "What that value can be, or one without a flag.") +
         bash_driver;
}

/// Fit to stand where `marks` mean something: in a specification of _arguments or _describe, in quotes of
/// fish.
std::string escaped(std::string_view text, std::string_view marks) {
  std::string out;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string zsh_action(const ValueShape& value) {
  const std::string words = fmt::format("{}", fmt::join(value.choices, " "));
  const std::string files = value.is_folder ? "_files -/" : value.is_file ? "_files" : "";
  if (!value.asks.empty()) {
    return fmt::format("{{_tuner_ask {}{}{}}}", value.asks, words.empty() ? "" : " " + words,
                       files.empty() ? "" : "; " + files);
  }
  if (words.empty()) return files.empty() ? " " : files;
  if (files.empty()) return fmt::format("({})", words);
  return fmt::format("{{_alternative 'words:word:({})' 'files:file:{}'}}", words, files);
}

/// What _arguments takes of a flag's value, or of one without a flag.
std::string zsh_value(const ArgumentShape& argument) {
  const std::string name = argument.is_flag() ? argument.value.name : argument.names.front();
  return fmt::format("{}:{}", escaped(name, ":[]"), zsh_action(argument.value));
}

/// A line of _arguments for each name of the flag.
std::string zsh_flag(const ArgumentShape& flag) {
  std::string out;
  for (const std::string& name : flag.names) {
    const bool has_value = !flag.value.name.empty();
    const char* joint = !has_value ? "" : name.starts_with("--") ? "=" : "+";
    const std::string others = flag.many               ? "*"
                               : flag.names.size() > 1 ? fmt::format("({})", fmt::join(flag.names, " "))
                                                       : "";
    const std::string spec = fmt::format("{}{}{}[{}]{}", others, name, joint, escaped(flag.description, "[]"),
                                         has_value ? ":" + zsh_value(flag) : "");
    out += " \\\n    " + util::shell_quote(spec);
  }
  return out;
}

std::string zsh_function_name(const std::string& path) {
  std::string name = "_" + path;
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

std::string zsh_function(const CommandShape& command, const std::string& path) {
  std::string arguments;
  for (const ArgumentShape& flag : command.flags) arguments += zsh_flag(flag);
  const std::string name = zsh_function_name(path);
  if (command.commands.empty()) {
    for (const ArgumentShape& value : command.values) {
      arguments += " \\\n    " + util::shell_quote((value.many ? "*:" : ":") + zsh_value(value));
    }
    return fmt::format("{}() {{\n  _arguments -s -S{}\n}}\n\n", name, arguments);
  }
  std::string described;
  std::string cases;
  std::string below;
  for (const CommandShape& one : command.commands) {
    described += "\n    " + util::shell_quote(escaped(one.name, ":") + ":" + escaped(one.description, ":"));
    cases += fmt::format("    {}) {} ;;\n", one.name, zsh_function_name(path + ' ' + one.name));
    below += zsh_function(one, path + ' ' + one.name);
  }
  return below + fmt::format(R"zsh({0}() {{
{4}  local curcontext=$curcontext state line
  local -a commands
  typeset -A opt_args
  commands=({1}
  )
  _arguments -C -s -S{2} \
    '1: :->command' '*:: :->arguments'
  case $state in
    command) _describe -t commands command commands ;;
    arguments)
      case $line[1] in
{3}      esac ;;
  esac
}}

)zsh",
                             name, described, arguments, cases,
                             path == command.name ? "  local -a tuner_line=(\"${words[@]}\")\n" : "");
}

// The line as it was, since _arguments changes `words`. Behind the kind come words that may be given, too.
constexpr const char* zsh_ask = R"zsh(_tuner_ask() {
  local kind=$1
  shift
  local -a offers=("$@" ${(f)"$(${~tuner_line[1]} words $kind -- "$PREFIX" "${tuner_line[@]}" 2>/dev/null)"})
  offers=(${offers//:/\\:})
  offers=(${offers//$'\t'/:})
  _describe -t $kind $kind offers
}

)zsh";

std::string zsh_completion(const CommandShape& program) {
  return std::string("#compdef tuner\n# zsh completion for tuner; made by `tuner completion zsh`.\n\n") +
         zsh_ask + zsh_function(program, program.name) +
         // Autoloaded it is called at once; sourced it says what it is for.
         "if [ \"$funcstack[1]\" = _tuner ]; then\n  _tuner \"$@\"\nelse\n  compdef _tuner tuner\nfi\n";
}

std::string fish_quote(std::string_view text) {
  return "'" + escaped(text, "'") + '\'';
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
  if (!value.asks.empty()) out += fmt::format(" -a '(__tuner_ask {})'", value.asks);
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

# What the program itself knows: kernels, sizes, trials.
function __tuner_ask
    set -l line (commandline -opc)
    set -l begun (commandline -ct)
    type -q $line[1]; or return
    $line[1] words $argv[1] -- "$begun" $line 2>/dev/null
end

complete -c tuner -f
)fish";

std::string fish_completion(const CommandShape& program) {
  std::string out = fish_head;
  add_fish_lines(program, "", out);
  return out;
}

}  // namespace

void add_completion(const CommandPlace& place) {
  const auto print = [&program = place.parent](const Context&, const std::string& shell) {
    const CommandShape shape = command_shape(program);
    write_out(shell == "bash"  ? bash_completion(shape)
              : shell == "zsh" ? zsh_completion(shape)
                               : fish_completion(shape));
    return 0;
  };
  Command<std::string> command(place, "completion", "Print a completion script for a shell", print);
  command.choice("shell", command.options(), {"bash", "zsh", "fish"}, "bash, zsh or fish")->required();
  command->footer(
      "`cmake --install` puts it where the shells look for it. By hand, for one shell or in its start file:\n"
      "Example: source <(tuner completion bash)\n"
      "         source <(tuner completion zsh)\n"
      "         tuner completion fish | source");
}

void add_manual(const CommandPlace& place) {
  const auto print = [&program = place.parent](const Context&, const NoOptions&) {
    write_out(manual_page(command_shape(program), version()));
    return 0;
  };
  Command<NoOptions> command(place, "manual", "Print the manual page, tuner(1)", print);
  command->footer("Example: tuner manual | man -l -");
}

}  // namespace tuner::cli
