#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <sstream>

#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/merge.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/report_writer.hpp"
#include "tuner/cli/run_named.hpp"
#include "tuner/cli/spec_files.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

struct ExportOptions {
  std::string path;
  std::string run;
  db::TrialFilter filter;
};

int export_trials(const Context& context, const ExportOptions& options) {
  require_deliverable(options.path);
  const db::Connection connection = db::open_for_reading(context.settings().database());
  std::ostringstream text;
  std::int64_t trials = 0;
  if (options.run.empty()) {
    trials = db::export_database(connection, options.filter, text);
  } else {
    const db::Connection own = db::extract_run(connection, run_named(connection, options.run));
    trials = db::export_database(own, options.filter, text);
  }
  deliver(options.path, text.str());
  write_err(fmt::format("{} trials exported", trials));
  return 0;
}

void say_added(const std::string& path, const db::Added& added) {
  write_err(fmt::format("{}: {} runs, {} trials and {} measurements were new", path, added.runs, added.trials,
                        added.measurements));
}

/// What was brought and does not compete, since nobody could look whether the spec in force has it.
void say_waiting(const db::Connection& connection) {
  for (const auto& [kernel, trials] : db::KernelSpecs(connection).waiting()) {
    write_err(
        fmt::format("{}: {} trial{} of another spec {} not compete: the spec in force is not at hand, or was "
                    "edited since; the next "
                    "`tuner run` of {} decides",
                    kernel, trials, trials == 1 ? "" : "s", trials == 1 ? "does" : "do", kernel));
  }
}

}  // namespace

void add_export(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("export", "Write results as JSON Lines: to compare, to keep, to replay");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("-o,--output", options->path, "file to write; without it, or with -, stdout")
      ->type_name("FILE");
  command->add_option("--run", options->run, "only what this run measured")->type_name("ID");
  command->add_option("--family", options->filter.family, "only this family")->type_name("NAME");
  command->add_option("--kernel,-k", options->filter.kernel, "only this kernel")->type_name("NAME");
  command->add_option("--gpu", options->filter.device, "only devices with this in their name")
      ->type_name("NAME");
  add_setting_flags(*command, context, {"db"});
  command->footer("An export is a device too: tuner run --device replay:FILE");
  command->callback([&context, &action, options] {
    action = [&context, options] { return export_trials(context, *options); };
  });
}

void add_import(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("import", "Add an exported file; all of it or, on a bad line, nothing");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("files", *paths, "exported files")->required()->type_name("FILE");
  add_setting_flags(*command, context, {"db"});
  command->callback([&context, &action, paths] {
    action = [&context, paths] {
      for (const std::string& path : *paths)
        static_cast<void>(db::open_export(path));  // before a database is made
      db::ResultStore store(context.settings().database());
      for (const std::string& path : *paths)
        say_added(path, db::import_file(store.connection(), path, judge_by_files()));
      say_waiting(store.connection());
      return 0;
    };
  });
}

void add_merge(CLI::App& app, Context& context, Action& action) {
  auto* command =
      app.add_subcommand("merge", "Add what other databases hold; nothing in them is trusted or executed");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("databases", *paths, "databases of other machines")->required()->type_name("FILE");
  add_setting_flags(*command, context, {"db"});
  command->callback([&context, &action, paths] {
    action = [&context, paths] {
      for (const std::string& path : *paths) db::require_mergeable(path);
      db::ResultStore store(context.settings().database());
      const std::vector<std::filesystem::path> files(paths->begin(), paths->end());
      db::MergeOptions options;
      options.judge = judge_by_files();
      const std::vector<db::Added> added = db::merge_databases(store.connection(), files, options);
      for (std::size_t i = 0; i < added.size(); ++i) say_added((*paths)[i], added[i]);
      say_waiting(store.connection());
      return 0;
    };
  });
}

}  // namespace tuner::cli
