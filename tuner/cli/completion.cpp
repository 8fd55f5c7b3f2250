#include "tuner/cli/command.hpp"
#include "tuner/cli/command_shape.hpp"

namespace tuner::cli {
namespace {

// The scripts ask the program itself, `tuner words`, with what is typed of the word and the words before it.
// A line of its answer is a word and what it means; `:files` and `:folders` are what the shell finds itself.

// `=` and `:` are words of their own in COMP_WORDS, unless the user has changed COMP_WORDBREAKS.
constexpr const char* bash_script = R"bash(# bash completion for tuner; made by `tuner completion bash`.
_tuner() {
  local current=${COMP_WORDS[COMP_CWORD]} word
  [[ $current == [=:] ]] && current=
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      *)
        printf -v word %q "$word"
        COMPREPLY+=("$word")
        ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" words -- "$current" "${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null)
}
complete -F _tuner tuner
)bash";

// Autoloaded it is called at once; sourced it says what it is for.
constexpr const char* zsh_script = R"zsh(#compdef tuner
# zsh completion for tuner; made by `tuner completion zsh`.
_tuner() {
  local -a told=("${(@f)$(${~words[1]} words -- "$PREFIX" "${(@)words[1,CURRENT-1]}" 2>/dev/null)}")
  local -a offers=(${${(M)told:#[^:]*}//:/\\:})
  offers=(${offers//$'\t'/:})
  (( $#offers )) && _describe -t words word offers
  if [[ "$told" == *:files* || "$told" == *:folders* ]]; then
    compset -P '*='
    [[ "$told" == *:files* ]] && _files || _files -/
  fi
}
if [ "$funcstack[1]" = _tuner ]; then
  _tuner "$@"
else
  compdef _tuner tuner
fi
)zsh";

constexpr const char* fish_script = R"fish(# fish completion for tuner; made by `tuner completion fish`.
function __tuner_ask
    set -l line (commandline -opc)
    set -l begun (commandline -ct)
    type -q $line[1]; or return
    $line[1] words -- "$begun" $line 2>/dev/null
end
complete -c tuner -f -a '(__tuner_ask | string match -v ":*")'
complete -c tuner -n '__tuner_ask | string match -q ":files*"' -F
complete -c tuner -n '__tuner_ask | string match -q ":folders*"' -a '(__fish_complete_directories)'
)fish";

}  // namespace

void add_completion(const CommandPlace& place) {
  const auto print = [](const Context&, const std::string& shell) {
    write_out(shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script);
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
