#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

constexpr const char* footer =
    "Sizes: 512..4096 doubles; 512..4096:128 steps; 512,1000,2047; 512x1024x256 gives each dimension.\n"
    "Data goes to stdout, everything else to stderr.\n"
    "Exit codes: 0 done, 1 failed, 2 usage, 3 nothing found, 4 no usable device, 130/143 interrupted (the "
    "command that\n"
    "resumes is printed). `tuner COMMAND --help` says the rest.";

constexpr AddCommand commands[] = {add_run,     add_best,  add_report, add_list,   add_show,
                                   add_compare, add_init,  add_check,  add_config, add_export,
                                   add_import,  add_merge, add_forget, add_cache,  add_compile,
                                   add_plan,    add_slurm, add_status, add_worker};

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
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const std::string name = command == &app ? "tuner" : "tuner " + command->get_name();
  show_error(error.what(), fmt::format("`{} --help` shows what it takes", name));
  return static_cast<int>(model::ExitCode::usage);
}

}  // namespace

int run_tuner(int argc, char** argv) {
  Context context{{argv + 1, argv + argc}, config::process_surroundings(), {}};
  Action action;
  CLI::App app{
      "Finds the fastest configuration of CUDA kernels: compiles, runs, verifies and remembers each.",
      "tuner"};
  app.footer(footer);
  app.set_version_flag("--version", std::string("tuner ") + version());
  app.require_subcommand(1);
  try {
    for (const AddCommand add : commands) add(app, context, action);
    app.parse(argc, argv);
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
