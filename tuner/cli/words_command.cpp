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
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Of trials with a prefix no more are offered: nobody reads them.
constexpr std::size_t most_trials = 100;

/// What a shell asks for: which kind of words, as far as the last one is typed, on which line.
struct WordsOptions {
  std::string kind;
  std::vector<std::string> line;  ///< what is typed of the word, then the line before it
};

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

std::vector<Offer> offered_strategies() {
  std::vector<Offer> offers = {{"auto", "chosen by the size of the space"}};
  for (const search::StrategyKind& kind : search::strategies())
    offers.push_back({std::string(kind.name), std::string(kind.description)});
  return offers;
}

std::vector<Offer> offered_sizes(const db::Connection& connection) {
  std::vector<Offer> offers;
  for (const db::Case& known : db::cases(connection))
    offers.push_back({known.problem.size_text(), "measured"});
  return offers;
}

std::vector<Offer> offers_of(const Context& context, const WordsOptions& options) {
  const std::string begun = options.line.empty() ? "" : options.line.front();
  std::vector<Offer> offers;
  try {
    if (options.kind == "strategies") return offered_strategies();
    if (options.kind == "kernels" || options.kind == "families")
      offers = offered_kernels(options.kind == "families");
    const db::Connection connection = database_of(context, options.line);
    if (options.kind == "trials") return offered_trials(connection, begun);
    if (options.kind == "sizes") return offered_sizes(connection);
    if (options.kind == "gpus")
      for (const model::DeviceInfo& device : db::devices(connection))
        offers.push_back({device.name, device.driver});
    if (options.kind == "kernels")
      for (const std::string& name : db::kernel_and_family_names(connection))
        offers.push_back({name, "measured"});
  } catch (const model::Error&) {  // a shell that completes is no place for it
  }
  return offers;
}

int print_words(const Context& context, const WordsOptions& options) {
  const std::string begun = options.line.empty() ? "" : options.line.front();
  std::set<std::string> told;
  std::string out;
  for (const Offer& offer : offers_of(context, options)) {
    if (!offer.word.starts_with(begun) || !told.insert(offer.word).second) continue;
    out += fmt::format("{}\t{}\n", util::one_line(offer.word), util::one_line(offer.meaning));
  }
  write_out(out);
  return 0;
}

}  // namespace

void add_words(const CommandPlace& place) {
  Command<WordsOptions> command(place, "words", "What a shell may complete (internal)", print_words);
  command->group("");
  command->add_option("kind", command.options().kind)->required();
  command->add_option("line", command.options().line);
}

}  // namespace tuner::cli
