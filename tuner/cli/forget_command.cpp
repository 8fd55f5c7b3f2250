#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "db/forget.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/run_named.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

struct ForgetOptions {
  std::string kernel;
  std::string run;
  std::string trial;
  std::string before;
  bool dry_run = false;
};

/// `2026-11-21` or `2026-11-21T12:00:00`, compared as the database's own times are: as text.
void require_date(const std::string& text) {
  const auto fits = [&](std::string_view pattern) {
    if (text.size() > pattern.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool digit = text[i] >= '0' && text[i] <= '9';
      if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
    }
    return true;
  };
  if (text.size() >= 10 && fits("0000-00-00T00:00:00.000000Z")) return;
  throw model::UsageError(fmt::format("'{}' is no date", text), "2026-11-21 or 2026-11-21T12:00:00, in UTC");
}

db::ForgetQuery make_query(const db::Connection& connection, const ForgetOptions& options) {
  db::ForgetQuery query;
  query.kernel = options.kernel;
  if (!options.run.empty()) query.run = run_named(connection, options.run);
  if (!options.trial.empty()) query.trial = db::find_trial(connection, options.trial).key;
  if (!options.before.empty()) require_date(options.before);
  query.before = options.before;
  return query;
}

int forget(const Context& context, const ForgetOptions& options) {
  const int ways = (options.kernel.empty() ? 0 : 1) + (options.run.empty() ? 0 : 1) +
                   (options.trial.empty() ? 0 : 1) + (options.before.empty() ? 0 : 1);
  if (ways != 1) {
    throw model::UsageError(fmt::format("{} ways to say what to forget were given", ways),
                            "give one of --kernel, --run, --trial and --before");
  }
  db::ResultStore store(context.settings().database());
  const db::Connection& connection = store.connection();
  const db::ForgetQuery query = make_query(connection, options);
  const db::Forgotten gone = db::forget(connection, query, options.dry_run);
  if (gone.nothing()) {
    throw model::Error("nothing in the database is meant by that",
                       "`tuner list runs` shows what was measured", model::ExitCode::nothing_found);
  }
  write_out(fmt::format("{}: {} trials, {} measurements, {} finals, {} runs\n",
                        options.dry_run ? "would be forgotten" : "forgotten", gone.trials, gone.measurements,
                        gone.finals, gone.runs));
  if (options.dry_run) write_err("nothing was changed; the same without --dry-run does it");
  return 0;
}

}  // namespace

void add_forget(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("forget", "Remove a kernel, a run, a trial, or what is old");
  auto options = std::make_shared<ForgetOptions>();
  command->add_option("--kernel,-k", options->kernel, "every trial of this kernel")->type_name("NAME");
  command->add_option("--run", options->run, "what this run measured")->type_name("ID");
  command->add_option("--trial", options->trial, "this trial")->type_name("ID");
  command->add_option("--before", options->before, "what was measured before this day (UTC)")
      ->type_name("DATE");
  command->add_flag("--dry-run", options->dry_run, "only say what would go");
  add_setting_flags(*command, context, {"db"});
  command->footer(
      "All of it or nothing. Trials that other runs measured too keep those measurements.\n"
      "Example: tuner forget --kernel my_kernel --dry-run");
  command->callback(
      [&context, &action, options] { action = [&context, options] { return forget(context, *options); }; });
}

}  // namespace tuner::cli
