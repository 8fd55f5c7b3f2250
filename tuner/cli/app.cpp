#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "config/mistyped_variables.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/help_formatter.hpp"
#include "tuner/cli/parse_mistake.hpp"
#include "tuner/cli/same_database.hpp"
#include "tuner/cli/version_text.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

constexpr const char* footer =
    "Sizes: 512..4096 doubles; 512..4096:128 steps; 512,1000,2047; 512x1024x256 gives each dimension.\n\n"
    "Data goes to stdout, everything else to stderr.\n\n"
    "Exit codes: 0 done, 1 failed, 2 usage, 3 nothing found, 4 no usable device, 130/143 interrupted (the "
    "command that resumes is printed).\n\n"
    "`tuner COMMAND --help` says the rest.\n"
    "Example: tuner run --sizes 512..4096";

struct CommandGroup {
  const char* name;
  std::vector<AddCommand> commands;
};

/// In the order of the help.
const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> all = {
      {"Tune", {add_run, add_plan, add_compile, add_slurm, add_status}},
      {"Ask what was found", {add_best, add_show, add_compare, add_report, add_list}},
      {"Write kernels", {add_init, add_check}},
      {"Keep results", {add_export, add_import, add_merge, add_forget, add_cache}},
      {"Set up", {add_config, add_completion, add_manual}},
  };
  return all;
}

void add_commands(CLI::App& app, Context& context, Action& action) {
  for (const CommandGroup& group : command_groups()) {
    for (const AddCommand add : group.commands) {
      add(app, context, action);
      app.get_subcommands([](const CLI::App*) { return true; }).back()->group(group.name);
    }
  }
  add_worker(app, context, action);
}

void show_error(const std::string& message, const std::string& hint) {
  write_err("tuner: " + message);
  if (!hint.empty()) write_err("  " + hint);
}

/// CLI11 has exit codes of its own, some of them above 100; ours are 0 and 2.
int parse_exit(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);  // --help, --version
    return static_cast<int>(model::ExitCode::done);
  }
  const ParseMistake mistake = parse_mistake(app, error);
  show_error(mistake.message, mistake.hint);
  return static_cast<int>(model::ExitCode::usage);
}

/// A variable that no setting has may be one that was mistyped; it is not in force then.
void warn_of_mistyped_variables() {
  for (const config::MistypedVariable& one : config::mistyped_variables(config::process_variables())) {
    show_error(fmt::format("{} is set, and there is no such setting", one.name),
               fmt::format("did you mean {}?", one.meant));
  }
}

}  // namespace

int run_tuner(int argc, char** argv) {
  Context context{{argv + 1, argv + argc}, config::process_surroundings(), {}};
  Action action;
  CLI::App app{
      "Finds the fastest configuration of CUDA kernels: compiles, runs, verifies and remembers each.",
      "tuner"};
  app.formatter(std::make_shared<HelpFormatter>(terminal::columns_of(STDOUT_FILENO)));
  app.set_version_flag("--version", version_text,
                       "Say the version, its commit, the toolkit and the compiler");
  app.require_subcommand(1);
  try {
    add_commands(app, context, action);
    app.footer(footer);  // of the program alone: commands that are added later would have it too
    if (argc <= 1) {
      write_out(app.help());
      return static_cast<int>(model::ExitCode::done);
    }
    app.parse(argc, argv);
    // Another tuner that started this one has said it.
    if (!app.got_subcommand("worker")) warn_of_mistyped_variables();
    if (const auto database = context.flags.find("db"); database != context.flags.end())
      name_database(database->second);
    return action();
  } catch (const CLI::ParseError& error) {
    return parse_exit(app, error);
  } catch (const model::Error& error) {
    show_error(error.what(), error.hint());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    show_error(fmt::format("internal error: {}", error.what()),
               "please report this with the command you gave");
    return static_cast<int>(model::ExitCode::failed);
  }
}

}  // namespace tuner::cli
