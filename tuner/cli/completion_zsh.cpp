#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/completion.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Fit to stand in a specification of _arguments or _describe, where `marks` mean something.
std::string zsh_text(std::string_view text, std::string_view marks) {
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
  if (words.empty()) return files.empty() ? " " : files;
  if (files.empty()) return fmt::format("({})", words);
  return fmt::format("{{_alternative 'words:word:({})' 'files:file:{}'}}", words, files);
}

/// What _arguments takes of a flag's value, or of one without a flag.
std::string zsh_value(const ArgumentShape& argument) {
  const std::string name = argument.is_flag() ? argument.value.name : argument.names.front();
  return fmt::format("{}:{}", zsh_text(name, ":[]"), zsh_action(argument.value));
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
    const std::string spec =
        fmt::format("{}{}{}[{}]{}", others, name, joint, zsh_text(flag.description, "[]"),
                    has_value ? ":" + zsh_value(flag) : "");
    out += " \\\n    " + util::shell_quote(spec);
  }
  return out;
}

std::string zsh_function_name(const std::string& path) {
  std::string name = "_" + path;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
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
    described += "\n    " + util::shell_quote(zsh_text(one.name, ":") + ":" + zsh_text(one.description, ":"));
    cases += fmt::format("    {}) {} ;;\n", one.name, zsh_function_name(path + ' ' + one.name));
    below += zsh_function(one, path + ' ' + one.name);
  }
  return below + fmt::format(R"zsh({0}() {{
  local curcontext=$curcontext state line
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
                             name, described, arguments, cases);
}

}  // namespace

std::string zsh_completion(const CommandShape& program) {
  return "#compdef tuner\n# zsh completion for tuner; made by `tuner completion zsh`.\n\n" +
         zsh_function(program, program.name) +
         // Autoloaded it is called at once; sourced it says what it is for.
         "if [ \"$funcstack[1]\" = _tuner ]; then\n  _tuner \"$@\"\nelse\n  compdef _tuner tuner\nfi\n";
}

}  // namespace tuner::cli
