#include <CLI/CLI.hpp>
#include <memory>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/answers/trial_sheet.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/trial_facts.hpp"

namespace tuner::cli {
namespace {

int show(const Context& context, const std::vector<std::string>& ids) {
  const config::Settings settings = context.settings();
  const db::Connection connection = db::open_for_reading(settings.database());
  std::vector<answers::TrialFacts> trials;
  for (const std::string& id : ids) {
    trials.push_back(load_facts(connection, db::find_trial(connection, id), settings.cache_folder()));
  }
  AnswerStyle style(connection);
  write_out(trials.size() == 1 ? answers::trial_text(trials.front(), style.for_stdout())
                               : answers::trials_text(trials.front(), trials.back(), style.for_stdout()));
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand(
      "show", "Everything known of a trial, compiler log and samples included; or of two, side by side");
  auto ids = std::make_shared<std::vector<std::string>>();
  command->add_option("TRIAL", *ids, "identifiers of one trial or two, or the first digits of them")
      ->required()
      ->expected(1, 2)
      ->type_name("");
  add_setting_flags(*command, context, {"db", "cache_dir"});
  command->footer("Example: tuner show 3fa1c2e 9be0041");
  command->callback([&context, &action, ids] { action = [&context, ids] { return show(context, *ids); }; });
}

}  // namespace tuner::cli
