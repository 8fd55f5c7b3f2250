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
  const KernelCatalog shipped = KernelCatalog::load({});
  for (const model::KernelSpec& spec : shipped.all()) {
    if (!are_families) offers.push_back({spec.name, spec.description});
    families.insert(spec.family);
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

}  // namespace tuner::cli
