#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "config/settings.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "reports/summary.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/cli/answers/parameter_effect.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/explained.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct ExplainOptions : Question {
  std::string what;  ///< sizes, or a parameter; empty: all sizes
  std::string format = "table";

  /// Names of parameters begin with a letter.
  bool is_of_parameter() const {
    return !what.empty() && std::isdigit(static_cast<unsigned char>(what[0])) == 0;
  }
};

/// What is asked about.
struct Asked {
  db::BestQuery query;
  db::BestAnswers all;
  answers::Chosen chosen;
};

/// Of each family and size the answer that `tuner best` would give; where no rule chooses, all of them.
answers::Chosen chosen_of(const db::BestAnswers& all) {
  answers::Chosen chosen;
  for (const answers::EnvironmentChoice& choice : answers::choose_environments(all)) {
    if (choice.chosen) chosen.push_back(&all[*choice.chosen]);
    if (!choice.chosen) std::ranges::copy(answers::choices_of(all, choice), std::back_inserter(chosen));
  }
  return chosen;
}

Asked ask(const Context& context, const config::Settings& settings, const db::Connection& connection,
          const ExplainOptions& options) {
  Asked asked;
  asked.query = query_of(context, settings, options);
  ask_for_bits(connection, options, asked.query);
  asked.all = answers_to_cover(connection, asked.query);
  const std::string sizes = options.is_of_parameter() ? "" : options.what;
  if (!sizes.empty())
    std::erase_if(asked.all, [wanted = config::parse_sizes(sizes)](const db::BestAnswer& answer) {
      return !is_of_sizes(answer.problem(), wanted);
    });
  if (asked.all.empty()) find_nothing(connection, settings, options, sizes);
  asked.chosen = options.is_of_parameter() ? of_one_environment(asked.all) : chosen_of(asked.all);
  std::ranges::stable_sort(
      asked.chosen, reports::problem_less,
      [](const db::BestAnswer* answer) -> const auto& { return answer->problem(); });
  return asked;
}

int explain_parameter(const db::Connection& connection, const ExplainOptions& options, const Asked& asked) {
  std::vector<db::Ranking> rankings;
  for (const db::BestAnswer* const answer : asked.chosen)
    rankings.push_back(db::ranking(connection, *answer, asked.query));
  const answers::ParameterEffect effect = answers::parameter_effect(options.what, asked.chosen, rankings);
  if (effect.sizes.empty()) {
    const std::vector<std::string> names = answers::parameter_names(rankings);
    const std::string meant = util::did_you_mean(options.what, names);
    throw model::UsageError(
        fmt::format("no trial{} has a parameter {}", asked_text(options), util::one_line(options.what, 60)),
        !meant.empty() ? meant : fmt::format("they have {}", fmt::join(names, ", ")));
  }
  write_out(options.format == "json" ? answers::effect_json(effect)
                                     : answers::effect_text(effect, answer_style(connection)));
  return 0;
}

/// Whether there are answers of several devices.
bool names_devices(const db::BestAnswers& all) {
  return std::ranges::any_of(all, [&](const db::BestAnswer& answer) {
    return answer.winner.environment.device != all.front().winner.environment.device;
  });
}

int explain_winners(const config::Settings& settings, const db::Connection& connection,
                    const ExplainOptions& options, const Asked& asked) {
  constexpr std::size_t most_compiled = 2;  // each takes seconds
  Explainer explainer(connection, settings, options.spec, asked.chosen.size() <= most_compiled);
  std::vector<answers::Explanation> all;
  for (const db::BestAnswer* const answer : asked.chosen) {  // the trials of one at a time
    all.push_back(explainer(*answer, db::ranking(connection, *answer, asked.query)));
    all.back().names_device = names_devices(asked.all);
  }
  if (options.format == "json") {
    write_out(answers::explanations_json(all));
    return 0;
  }
  const answers::Style style = answer_style(connection);
  std::string text;
  for (const answers::Explanation& one : all)
    text += (text.empty() ? "" : "\n") + answers::explanation_text(one, style);
  write_out(text);
  return 0;
}

int explain(const Context& context, ExplainOptions options) {
  name_kernel(options);
  const config::Settings settings = context.settings();
  const db::Connection connection = db::open_results(settings.database());
  const Asked asked = ask(context, settings, connection, options);
  return options.is_of_parameter() ? explain_parameter(connection, options, asked)
                                   : explain_winners(settings, connection, options, asked);
}

}  // namespace

void add_explain(const CommandPlace& place) {
  Command<ExplainOptions> command(
      place, "explain", "Say why the best is as fast as it is, or what a parameter's values cost", explain);
  ExplainOptions& options = command.options();
  command.option("SIZES|PARAMETER", options.what, "",
                 "sizes, as 1024 or 512..2048: why the best is fast; a parameter, as TILE_K: what its values "
                 "cost; default: all sizes");
  add_question(command, options);
  command.choice("--format", options.format, {"table", "json"}, "table or json");
  command.pages();
  command.settings("db type pad measure l2 execution cache_dir");
  command->footer(
      "For a size: what binds its best, what the runner-up lacks, which parameters matter, what to try next. "
      "From the counters of `tuner profile` where there are any, else from machine code, resources, ceilings "
      "and times. For one or two sizes, machine code that is no longer cached is compiled again.\n"
      "For a parameter, at each size: the best configuration with a value against the best with any. For "
      "each "
      "value the other parameters have their best tried values.\n"
      "Example: tuner explain 1024\n         tuner explain TILE_K --kernel sgemm");
}

}  // namespace tuner::cli
