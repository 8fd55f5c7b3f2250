#include <fmt/format.h>

#include <string>
#include <vector>

#include "tuner/cli/completion.hpp"

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

/// The words that a value can be; FILE and FOLDER stand for what the shell finds itself.
std::vector<std::string> bash_answers(const ValueShape& value) {
  std::vector<std::string> words = value.choices;
  if (value.is_file) words.emplace_back("FILE");
  if (value.is_folder) words.emplace_back("FOLDER");
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
    [[ $word != FILE && $word != FOLDER && $word == "$current"* ]] && COMPREPLY+=("$word")
  done
}
complete -F _tuner tuner
)bash";

}  // namespace

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

}  // namespace tuner::cli
