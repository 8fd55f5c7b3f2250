#include <fmt/format.h>

#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/machine_code.hpp"
#include "tuner/cli/trial_facts.hpp"

namespace tuner::cli {
namespace {

struct ShowOptions {
  std::vector<std::string> ids;
  bool sass = false;
  std::string format = "text";
};

int show_machine_code(const Context& context, const db::Connection& connection, const ShowOptions& options) {
  std::vector<answers::TrialCode> codes;
  for (const std::string& id : options.ids)
    codes.push_back(machine_code(context.settings(), connection, db::find_trial(connection, id)));
  const answers::Style style = answer_style(connection);
  write_out(options.format == "json" ? answers::code_json(codes)
            : codes.size() == 1      ? answers::code_text(codes.front(), style)
                                     : answers::codes_text(codes.front(), codes.back(), style));
  return 0;
}

int show(const Context& context, const ShowOptions& options) {
  const config::Settings settings = context.settings();
  const db::Connection connection = db::open_results(settings.database());
  if (options.sass) return show_machine_code(context, connection, options);
  std::vector<answers::TrialFacts> trials;
  for (const std::string& id : options.ids) {
    trials.push_back(load_facts(connection, db::find_trial(connection, id), settings.cache_folder()));
  }
  const answers::Style style = answer_style(connection);
  write_out(trials.size() == 1 ? answers::trial_text(trials.front(), style)
                               : answers::trials_text(trials.front(), trials.back(), style));
  return 0;
}

}  // namespace

void add_show(const CommandPlace& place) {
  Command<ShowOptions> command(
      place, "show",
      "Show everything known of a trial, compiler log and samples included; or of two, side by side", show);
  ShowOptions& options = command.options();
  command.option("TRIAL", options.ids, "", "identifiers of one trial or two, or their first digits")
      ->required()
      ->expected(1, 2);
  CLI::Option* const sass = command->add_flag(
      "--sass", options.sass,
      "machine code instead: instructions by loop depth, and the hot loop; of two trials, what differs");
  command.choice("--format", options.format, {"text", "json"}, "of --sass; json has every loop and kernel")
      ->needs(sass);
  command.pages();
  command.settings("db cache_dir");
  command->footer(
      "--sass needs nvdisasm of a CUDA toolkit, and no GPU. A binary that is no longer cached is compiled "
      "again.\n"
      "Example: tuner show 3fa1c2e 9be0041");
}

}  // namespace tuner::cli
