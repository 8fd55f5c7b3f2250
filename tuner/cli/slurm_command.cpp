#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "tuner/cli/command.hpp"
#include "tuner/cli/slurm_retry.hpp"
#include "tuner/cli/slurm_writing.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

void print_commands(const cluster::SweepFolder& folder) {
  const std::string array = util::shell_quote(folder.array_script().string());
  const std::string last = util::shell_quote(folder.last_script().string());
  write_out(fmt::format("job=$(sbatch --parsable {}) &&\nsbatch --dependency=afterany:\"${{job%%;*}}\" {}\n",
                        array, last));
}

void submit(const cluster::SweepFolder& folder, const std::string& quoted) {
  try {
    submit_sweep(folder);
  } catch (const model::Error& error) {
    throw model::Error(error.what(),
                       fmt::format("the scripts are there: `tuner slurm --retry {}` submits what is "
                                   "not in Slurm's queue",
                                   quoted));
  }
}

int slurm(const Context& context, const SlurmOptions& options) {
  if (!options.retry.empty()) {
    retry_sweep(cluster::SweepFolder(options.retry));
    return 0;
  }
  if (options.array < 1) {
    throw model::UsageError("tuner slurm: how many shards?", "give --array 16, or --retry FOLDER to go on");
  }
  const cluster::SweepFolder folder = write_slurm_sweep(context, options);
  write_err(fmt::format("written: {} and {}", folder.array_script().string(),
                        folder.last_script().filename().string()));
  const std::string quoted = util::shell_quote(folder.path().string());
  if (options.submit)
    submit(folder, quoted);
  else
    print_commands(folder);
  write_err(
      fmt::format("`tuner status {}` shows how it stands; `tuner slurm --retry {}` submits what is missing",
                  quoted, quoted));
  return 0;
}

}  // namespace

void add_slurm(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("slurm", "Split a sweep over a Slurm job array, and bring it together");
  auto options = std::make_shared<SlurmOptions>();
  command->add_option("--array", options->array, "how many shards, each a task of the array")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  command
      ->add_option("--folder", options->folder,
                   "folder that the nodes share, for scripts, logs and results (default: tuner-sweep)")
      ->type_name("DIR");
  command
      ->add_option("--sbatch", options->sbatch,
                   "an option of sbatch for both scripts, such as partition=gpu or time=2:00:00; repeatable")
      ->type_name("OPTION");
  command->add_flag("--submit", options->submit, "submit the scripts; else the commands for it are printed");
  command
      ->add_option("--retry", options->retry,
                   "submit of this folder's sweep what is missing, and the last job again")
      ->type_name("FOLDER");
  command
      ->add_option("--kernel,-k", options->kernels, "kernels to tune: names, families, spec files or folders")
      ->type_name("NAME|FILE");
  std::vector<std::string> names = sweep_settings();
  names.insert(names.end(), {"publish_every_s", "report", "db", "cache_dir", "cache_limit_mb"});
  add_setting_flags(*command, context, names);
  command->footer(
      "--db is where the last job publishes the merged results (default: result.db in the folder), --report "
      "where it writes their report. The tuner, specs and a --cache-dir must be where every node finds "
      "them.\n"
      "Example: tuner slurm --array 16 --sizes 512..4096 --folder /shared/sweep --sbatch time=2:00:00 "
      "--submit");
  command->callback(
      [&context, &action, options] { action = [&context, options] { return slurm(context, *options); }; });
}

}  // namespace tuner::cli
