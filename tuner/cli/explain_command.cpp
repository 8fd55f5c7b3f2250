#include <fmt/format.h>

#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/answers/parameter_effect.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct ExplainOptions : Question {
  std::string parameter;
  std::string format = "table";
};

int explain(const Context& context, ExplainOptions options) {
  name_kernel(options);
  const config::Settings settings = context.settings();
  db::BestQuery query = query_of(context, settings, options);
  const db::Connection connection = db::open_results(settings.database());
  ask_for_bits(connection, options, query);
  const std::vector<db::BestAnswer> all = answers_to_cover(connection, query);
  if (all.empty())
    find_nothing(connection, settings, options, asked_text(options),
                 "measure it first: tuner run --sizes 512..4096");
  const std::vector<const db::BestAnswer*> chosen = of_one_environment(all, options);
  std::vector<std::vector<db::Ranked>> rankings;
  for (const db::BestAnswer* const answer : chosen)
    rankings.push_back(db::ranking(connection, *answer, query));
  const answers::ParameterEffect effect = answers::parameter_effect(options.parameter, chosen, rankings);
  if (effect.sizes.empty()) {
    const std::vector<std::string> names = answers::parameter_names(rankings);
    const std::string meant = util::did_you_mean(options.parameter, names);
    throw model::UsageError(fmt::format("no trial{} has a parameter {}", asked_text(options),
                                        util::one_line(options.parameter, 60)),
                            !meant.empty() ? meant : fmt::format("they have {}", fmt::join(names, ", ")));
  }
  write_out(options.format == "json" ? answers::effect_json(effect)
                                     : answers::effect_text(effect, answer_style(connection)));
  return 0;
}

}  // namespace

void add_explain(const CommandPlace& place) {
  Command<ExplainOptions> command(place, "explain", "Say what a parameter's values cost at each size",
                                  explain);
  ExplainOptions& options = command.options();
  command.option("PARAMETER", options.parameter, "NAME", "a parameter of the kernels, as TILE_K")->required();
  add_question(command, options);
  command.choice("--format", options.format, {"table", "json"}, "table or json");
  command.pages();
  command.settings({"db", "type", "pad", "measure", "l2"});
  command->footer(
      "From recorded trials of one environment: at each size, the best configuration with a value against "
      "the "
      "best with any. So the other parameters are at their best for each value, as far as it was tried.\n"
      "Example: tuner explain TILE_K --kernel sgemm");
}

}  // namespace tuner::cli
