#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tuner/cli/context.hpp"

namespace CLI {
class App;
}

namespace tuner::cli {

/// Adds a subcommand to `app`; when it is the one called, `action` is set to what does its work and returns
/// the exit code. One file a subcommand.
using Action = std::function<int()>;
using AddCommand = void (*)(CLI::App& app, Context& context, Action& action);

void add_run(CLI::App& app, Context& context, Action& action);
void add_best(CLI::App& app, Context& context, Action& action);
void add_report(CLI::App& app, Context& context, Action& action);
void add_list(CLI::App& app, Context& context, Action& action);
void add_show(CLI::App& app, Context& context, Action& action);
void add_compare(CLI::App& app, Context& context, Action& action);
void add_init(CLI::App& app, Context& context, Action& action);
void add_check(CLI::App& app, Context& context, Action& action);
void add_config(CLI::App& app, Context& context, Action& action);
void add_export(CLI::App& app, Context& context, Action& action);
void add_import(CLI::App& app, Context& context, Action& action);
void add_merge(CLI::App& app, Context& context, Action& action);
void add_forget(CLI::App& app, Context& context, Action& action);
void add_cache(CLI::App& app, Context& context, Action& action);
void add_compile(CLI::App& app, Context& context, Action& action);
void add_plan(CLI::App& app, Context& context, Action& action);
void add_slurm(CLI::App& app, Context& context, Action& action);
void add_status(CLI::App& app, Context& context, Action& action);
void add_completion(CLI::App& app, Context& context, Action& action);
void add_manual(CLI::App& app, Context& context, Action& action);
/// Not for people: what child processes run.
void add_worker(CLI::App& app, Context& context, Action& action);

/// Adds flags for these settings to a subcommand; their values go to Context::flags.
void add_setting_flags(CLI::App& command, Context& context, const std::vector<std::string>& names);

/// The settings that say what a sweep does: those of `tuner run` but for its database, cache, report and
/// terminal.
std::vector<std::string> sweep_settings();

/// Parses and runs; every error becomes one message and a code.
int run_tuner(int argc, char** argv);

/// For `--version`: the version, the commit it was built from, the release of NVRTC that would compile
/// kernels here, or why there is none, and the compiler that built it. A line each. Loads NVRTC.
std::string version_text();

}  // namespace tuner::cli

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tuner::cli {

/// What is wrong with a command line, and the next step.
struct ParseMistake {
  std::string message;
  std::string hint;
};

/// Of the `error` that `app` ended parsing with. A word that nobody knows comes before anything that is
/// missing, which it may have been meant to be, and with what it was probably meant to be.
ParseMistake parse_mistake(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tuner::cli
