#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "reports/text.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/command_shape.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Of trials with a prefix no more are offered: more cannot be read.
constexpr std::size_t most_trials = 100;

/// A word to be offered, and what it is.
struct Offer {
  std::string word;
  std::string meaning;
};

/// The database that the line names, else the usual one. A shell may give `--db=x` as one word or as three.
db::Connection database_of(const Context& context, const std::vector<std::string>& line) {
  std::map<std::string, std::string> flags;
  constexpr std::string_view flag = "--db";
  for (std::size_t i = 1; i < line.size(); ++i) {
    std::string value;
    if (line[i].starts_with("--db=")) value = line[i].substr(flag.size() + 1);
    if (line[i] == flag && i + 1 < line.size())
      value = line[i + 1] == "=" && i + 2 < line.size() ? line[i + 2] : line[i + 1];
    if (value.starts_with("~/")) value.replace(0, 1, util::environment_variable("HOME"));
    if (!value.empty()) flags["db"] = value;
  }
  return db::open_results(config::Settings::load(flags, context.surroundings).database());
}

std::string offered_text(const model::TrialRecord& trial) {
  const auto& measurement = trial.outcome.measurement;
  return fmt::format("{} {} {}", trial.kernel, trial.problem.size_text(),
                     measurement ? reports::time_text(measurement->median_ns)
                                 : std::string(model::to_string(trial.outcome.status)));
}

/// Without a digit the best of each size, since all would be too many.
std::vector<Offer> offered_trials(const db::Connection& connection, const std::string& begun) {
  db::ShortIds ids(connection);
  std::vector<Offer> offers;
  const auto offer = [&](const model::TrialRecord& trial) {
    const std::size_t digits = std::max(begun.size(), ids.of(trial.key).size());
    offers.push_back({trial.key.hex().substr(0, digits), offered_text(trial)});
  };
  if (begun.empty()) {
    for (const db::BestAnswer& answer : db::best_of_each(connection, {})) offer(answer.winner);
  } else {
    db::TrialLoader loader(connection);
    for (const model::Digest& key : db::trials_beginning(connection, begun, most_trials))
      offer(loader.load(key));
  }
  return offers;
}

std::vector<Offer> offered_kernels(bool are_families) {
  std::vector<Offer> offers;
  std::set<std::string> families;
  for (const kernels::ShippedKernel& kernel : kernels::shipped_kernels()) {
    if (!are_families) offers.push_back({std::string(kernel.name), std::string(kernel.description)});
    families.emplace(kernel.family);
  }
  for (const std::string& family : families) offers.push_back({family, "a family"});
  return offers;
}

/// Of a kind of words that `tuner` itself knows.
std::vector<Offer> offers_of_kind(const std::string& kind, const Context& context,
                                  const std::vector<std::string>& line, const std::string& begun) {
  std::vector<Offer> offers;
  if (kind.empty()) return offers;
  try {
    if (kind == "strategies") {
      offers.push_back({"auto", "chosen by the size of the space"});
      for (const search::StrategyKind& known : search::strategies())
        offers.push_back({std::string(known.name), std::string(known.description)});
      return offers;
    }
    if (kind == "kernels" || kind == "families") offers = offered_kernels(kind == "families");
    const db::Connection connection = database_of(context, line);
    if (kind == "trials") return offered_trials(connection, begun);
    db::TrialFilter answerable;
    answerable.ceilings = false;
    if (kind == "sizes")
      for (const db::Case& known : db::cases(connection, answerable))
        offers.push_back({known.problem.size_text(), "measured"});
    if (kind == "gpus")
      for (const model::DeviceInfo& device : db::devices(connection))
        offers.push_back({device.name, device.driver});
    if (kind == "kernels")
      for (const std::string& name : db::kernel_and_family_names(connection))
        offers.push_back({name, "measured"});
  } catch (const model::Error&) {  // a shell that completes is no place for it
  }
  return offers;
}

const ArgumentShape* flag_named(const CommandShape& command, const std::string& name) {
  const auto found = std::ranges::find_if(command.flags, [&](const ArgumentShape& flag) {
    return std::ranges::find(flag.names, name) != flag.names.end();
  });
  return found == command.flags.end() ? nullptr : &*found;
}

/// How far a line has come.
struct Typed {
  const CommandShape* command;
  const ArgumentShape* awaited = nullptr;  ///< the flag whose value comes next
  std::set<const ArgumentShape*> given;
};

/// bash cuts words at `=` and `:`.
Typed typed_of(const CommandShape& program, const std::vector<std::string>& line) {
  Typed typed{&program, nullptr, {}};
  const ArgumentShape* last = nullptr;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const std::string& word = line[i];
    const auto named = std::ranges::find(typed.command->commands, word, &CommandShape::name);
    if (word == ":") {
      typed.awaited = last;
    } else if (typed.awaited != nullptr && word != "=") {
      typed.awaited = nullptr;
    } else if (const ArgumentShape* const flag = flag_named(*typed.command, word)) {
      typed.given.insert(flag);
      if (!flag->value.name.empty()) typed.awaited = last = flag;
    } else if (named != typed.command->commands.end()) {
      typed.command = &*named;
    }
  }
  return typed;
}

constexpr const char* files = ":files";
constexpr const char* folders = ":folders";

/// What a shell offers for `begun` behind `line`: a line each.
std::string offers_text(const Context& context, const CommandShape& program,
                        const std::vector<std::string>& line, std::string begun) {
  std::string text;
  std::string head;  // of the word: `--format=`
  std::set<std::string> told;
  const auto add = [&](const std::string& word, const std::string& meaning) {
    if (word.starts_with(begun) && told.insert(word).second)
      text += fmt::format("{}{}\t{}\n", head, util::one_line(word), util::one_line(meaning));
  };
  const auto add_values = [&](const ValueShape& value) {
    for (const std::string& choice : value.choices) add(choice, "");
    for (const Offer& offer : offers_of_kind(value.asks, context, line, begun))
      add(offer.word, offer.meaning);
    if (value.is_file || value.is_folder) text += fmt::format("{}\n", value.is_file ? files : folders);
  };
  const Typed typed = typed_of(program, line);
  const std::size_t equals = begun.find('=');
  const ArgumentShape* valued = typed.awaited;
  if (valued == nullptr && begun.starts_with("--") && equals != std::string::npos) {
    valued = flag_named(*typed.command, begun.substr(0, equals));
    head = begun.substr(0, equals + 1);
    begun.erase(0, equals + 1);
  }
  if (valued != nullptr) {
    add_values(valued->value);
  } else if (begun.starts_with('-')) {
    for (const ArgumentShape& flag : typed.command->flags)
      for (const std::string& name : flag.names)
        if (flag.many || !typed.given.contains(&flag)) add(name, flag.description);
  } else {
    for (const ArgumentShape& value : typed.command->values) add_values(value.value);
    for (const CommandShape& command : typed.command->commands) add(command.name, command.description);
  }
  return text;
}

}  // namespace

void add_words(const CommandPlace& place) {
  // What is typed of the word, then the line before it.
  using Line = std::vector<std::string>;
  const auto print = [&program = place.parent](const Context& context, const Line& line) {
    const Line before(line.begin() + 1, line.end());
    write_out(offers_text(context, command_shape(program), before, line.front()));
    return 0;
  };
  Command<Line> command(place, "words", "What a shell may complete (internal)", print);
  command->group("");
  command->add_option("line", command.options())->required();
}

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
