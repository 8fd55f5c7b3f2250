#include "tuner/cluster/slurm.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cluster/sweep_status.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// What `tuner slurm` was asked for.
struct SlurmOptions {
  int array = 0;  ///< shards; 0: not given
  std::string folder = "tuner-sweep";
  std::vector<std::string> kernels;
  std::vector<std::string> sbatch;  ///< options of sbatch, as given
  bool submit = false;
  std::string retry;  ///< a folder; empty: a new sweep
};

namespace fs = std::filesystem;

std::vector<std::string> kernels_of(const config::Settings& settings, const SlurmOptions& options) {
  if (!options.kernels.empty()) return options.kernels;
  const config::Setting* named = settings.find("kernels");
  if (named->layer == config::Layer::defaults && !model::recording_of(settings.text("device")).empty())
    return {};
  return settings.kernels();
}

/// Mistakes are told here, once, and not by every task.
void require_sound(const Context& context, const config::Settings& settings,
                   const std::vector<std::string>& kernels) {
  const sweep::StrategyChoice strategy(settings.text("strategy"));  // throws
  const std::string recording = model::recording_of(settings.text("device"));
  if (!recording.empty() && !fs::exists(recording)) {
    throw model::UsageError(fmt::format("--device replay:{}: there is no such file", recording));
  }
  if (kernels.empty()) return;  // those of a recording
  SweepOptions options;
  options.kernels = kernels;
  for (const std::string& notice : select_work(context, settings, options).notices) write_err(notice);
}

std::string absolute_text(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
}

std::string value_of(const config::Setting& setting) {
  const std::string recording = setting.name == "device" ? model::recording_of(setting.value) : "";
  return recording.empty() ? setting.value : "replay:" + absolute_text(recording);
}

/// What `tuner run` is told: every setting of a sweep that somebody has set, and the kernels.
std::vector<std::string> run_arguments(const config::Settings& settings,
                                       const std::vector<std::string>& kernels) {
  std::vector<std::string> arguments;
  const auto add = [&](const std::string& flag, const std::string& value) {
    arguments.push_back(flag);
    arguments.push_back(value);
  };
  // Specs are looked for from the working directory, which on a node is another.
  for (const std::string& kernel : kernels)
    add("--kernel", is_spec_path(kernel) ? absolute_text(kernel) : kernel);
  const std::string ours = sweep_settings() + " publish_every_s cache_limit_mb";
  for (const config::Setting& setting : settings.all()) {
    if (util::has_word(ours, setting.name) && setting.layer != config::Layer::defaults)
      add(config::flag_name(setting.name), value_of(setting));
  }
  if (!settings.find("seed")) add("--seed", "0");
  return arguments;
}

/// What the command line says; elsewhere the setting is about other runs.
fs::path given_path(const config::Settings& settings, const char* name, const fs::path& otherwise) {
  const config::Setting* setting = settings.find(name);
  if (setting == nullptr || setting->layer != config::Layer::command_line) return otherwise;
  return absolute_text(setting->value);
}

void make_folder(const cluster::SweepFolder& folder) {
  if (fs::exists(folder.description_file())) {
    throw model::UsageError(fmt::format("{} has a sweep already", folder.path().string()),
                            "go on with it by `tuner slurm --retry`, or give another --folder");
  }
  for (const fs::path& path : {folder.results(), folder.logs()}) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) {
      throw model::Error(fmt::format("{} cannot be made: {}", path.string(), error.message()),
                         "give a folder that the nodes share with --folder");
    }
  }
}

cluster::SlurmSweep describe(const Context& context, const config::Settings& settings,
                             const SlurmOptions& options, const std::vector<std::string>& kernels) {
  cluster::SlurmSweep sweep{cluster::SweepFolder(options.folder)};
  cluster::require_speakable(sweep.folder.path());
  sweep.program = fs::read_symlink("/proc/self/exe");
  sweep.shards = options.array;
  sweep.command = context.command_line();
  sweep.arguments = run_arguments(settings, kernels);
  sweep.result = given_path(settings, "db", sweep.folder.path() / "result.db");
  sweep.report = given_path(settings, "report", sweep.folder.path() / "report.md");
  sweep.cache = given_path(settings, "cache_dir", "");
  sweep.needs_gpu = model::named_kind(settings.text("device"))->is_gpu;
  for (const config::KnownSetting& setting : config::known_settings())
    sweep.variables.push_back(config::variable_name(setting.name));
  for (const std::string& option : options.sbatch) sweep.options.push_back(cluster::sbatch_option(option));
  return sweep;
}

/// Writes the scripts of a new sweep, and what `tuner status` needs, into its folder. What `tuner run` is
/// told there holds wherever the scripts are run: settings of files and of the environment are written out,
/// paths are absolute, and all tasks have one seed. Throws model::UsageError for mistakes that would
/// otherwise show on each node, and where the folder has a sweep already.
cluster::SweepFolder write_slurm_sweep(const Context& context, const SlurmOptions& options) {
  const config::Settings settings = context.settings();
  const std::vector<std::string> kernels = kernels_of(settings, options);
  require_sound(context, settings, kernels);
  const cluster::SlurmSweep sweep = describe(context, settings, options, kernels);
  make_folder(sweep.folder);
  const std::string hint = "give another --folder";
  util::write_file(sweep.folder.array_script().string(), cluster::array_script(sweep), hint);
  util::write_file(sweep.folder.last_script().string(), cluster::last_script(sweep), hint);
  cluster::write_description(sweep.folder, {sweep.shards, sweep.command, sweep.result});
  return sweep.folder;
}

/// `1-3,7`, as sbatch takes the tasks of an array.
std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (end > i) text += fmt::format("-{}", numbers[end]);
    i = end;
  }
  return text;
}

void submit_last(const cluster::SweepFolder& folder, const std::set<std::string>& after) {
  std::vector<std::string> options;
  if (!after.empty()) options.push_back(fmt::format("--dependency=afterany:{}", fmt::join(after, ":")));
  write_out(fmt::format("last {}\n", cluster::submit_script(folder.last_script(), options)));
}

void require_slurm(const cluster::SweepFolder& folder, const cluster::Queue& queue) {
  if (queue.answered()) return;
  throw model::Error(
      queue.there ? "Slurm cannot be asked what it has in its queue: " + queue.failure
                  : "Slurm's commands are not on this machine",
      fmt::format("where they are: tuner slurm --retry {}", util::shell_quote(folder.path().string())));
}

/// Submits the shards that are not done and that no job works on, and the last job once more, after all that
/// is under way. A last job that still waits for the shards before is taken back. Where nothing is missing,
/// says so. Throws model::Error where Slurm cannot be asked, with the commands to give where it can.
void retry_sweep(const cluster::SweepFolder& folder) {
  const auto description = cluster::read_description(folder);
  if (!description) {
    throw model::UsageError(fmt::format("{} is no folder of `tuner slurm`", folder.path().string()),
                            "it has no sweep.json");
  }
  const cluster::Queue queue = cluster::ask_slurm(folder.path());
  require_slurm(folder, queue);
  const cluster::SweepStatus status = cluster::look_at(folder, queue);
  if (status.done()) return write_err("nothing is missing: the sweep is done");
  std::vector<int> missing;
  for (const cluster::PartStatus& part : status.parts)
    if (part.state == cluster::PartState::lost) missing.push_back(part.number);
  std::set<std::string> after;  // the jobs of shards that are still in the queue, and what else is under way
  std::vector<cluster::QueuedTask> earlier_last;
  for (const cluster::QueuedTask& task : queue.tasks) {
    if (task.part) after.insert(task.job);
    if (!task.part && task.name == cluster::last_job_name) earlier_last.push_back(task);
  }
  if (missing.empty() && !earlier_last.empty()) {
    return write_err("nothing is missing: what is not done is in Slurm's queue");
  }
  if (!missing.empty()) {
    const std::string array =
        cluster::submit_script(folder.array_script(), {"--array=" + ranges_text(missing)});
    write_out(fmt::format("array {} ({})\n", array, ranges_text(missing)));
    after.insert(array);
  }
  for (const cluster::QueuedTask& task : earlier_last) {
    if (!task.waiting) after.insert(task.job);
  }
  std::error_code ignored;  // what it said was of the shards before
  fs::remove(cluster::progress_file_of(description->result), ignored);
  submit_last(folder, after);
  for (const cluster::QueuedTask& task : earlier_last) {
    if (!task.waiting) continue;
    cluster::cancel_job(task.job);
    write_err(fmt::format("job {} was cancelled: the last job before, which waited for the shards before",
                          task.job));
  }
}

void print_commands(const cluster::SweepFolder& folder) {
  const std::string array = util::shell_quote(folder.array_script().string());
  const std::string last = util::shell_quote(folder.last_script().string());
  write_out(fmt::format("job=$(sbatch --parsable {}) &&\nsbatch --dependency=afterany:\"${{job%%;*}}\" {}\n",
                        array, last));
}

/// The job array of a new sweep and its last job. Throws model::Error with what sbatch said.
void submit(const cluster::SweepFolder& folder, const std::string& quoted) {
  try {
    const std::string array = cluster::submit_script(folder.array_script(), {});
    write_out(fmt::format("array {}\n", array));
    submit_last(folder, {array});
  } catch (const model::Error& error) {
    throw model::Error(
        error.what(),
        fmt::format("the scripts are there: `tuner slurm --retry {}` submits what is not in Slurm's queue",
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

void add_slurm(const CommandPlace& place) {
  Command<SlurmOptions> command(place, "slurm", "Split a sweep over a Slurm job array, and merge its results",
                                slurm);
  SlurmOptions& options = command.options();
  command.option("--array", options.array, "N", "how many shards, each a task of the array")
      ->check(CLI::Range(1, 100'000).description(""));
  command.option("--folder", options.folder, "DIR",
                 "folder that the nodes share, for scripts, logs and results (default: tuner-sweep)");
  command.option("--sbatch", options.sbatch, "OPTION",
                 "an option of sbatch for both scripts, such as partition=gpu or time=2:00:00; repeatable");
  command.flag("--submit", options.submit, "submit the scripts; else the commands for it are printed");
  command.option("--retry", options.retry, "FOLDER",
                 "submit the missing shards of this folder's sweep, and the last job again");
  command.option("--kernel,-k", options.kernels, "NAME|FILE",
                 "kernels to tune: names, families, spec files or folders");
  command.settings(sweep_flags());
  command->footer(
      "The last job publishes the merged results at --db (default: result.db in the folder) and writes their "
      "report at --report. Every node must find the tuner, the specs and a --cache-dir at the same paths.\n"
      "Example: tuner slurm --array 16 --sizes 512..4096 --folder /shared/sweep --sbatch time=2:00:00 "
      "--submit");
}

}  // namespace tuner::cli
