#include "tuner/cli/slurm_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/problems.hpp"
#include "tuner/cluster/slurm_scripts.hpp"
#include "tuner/model/device_kind.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/util/output_file.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

/// Specs are looked for from the working directory, which on a node is another.
std::string from_anywhere(const std::string& kernel) {
  std::error_code error;
  const bool is_path =
      kernel.find('/') != std::string::npos || kernel.ends_with(".toml") || fs::is_directory(kernel, error);
  return is_path ? fs::absolute(kernel).lexically_normal().string() : kernel;
}

std::vector<std::string> kernels_of(const config::Settings& settings, const SlurmOptions& options) {
  if (!options.kernels.empty()) return options.kernels;
  const config::Setting* named = settings.find("kernels");
  if (named->layer == config::Layer::defaults && !model::recording_of(settings.text("device")).empty())
    return {};
  return {named->value};
}

/// Mistakes are told here, once, and not by every task.
void require_sound(const config::Settings& settings, const std::vector<std::string>& kernels) {
  const sweep::StrategyChoice strategy(settings.text("strategy"));  // throws
  const std::string recording = model::recording_of(settings.text("device"));
  if (!recording.empty() && !fs::exists(recording)) {
    throw model::UsageError(fmt::format("--device replay:{}: there is no such file", recording));
  }
  if (kernels.empty()) return;  // those of a recording
  std::vector<std::string> notices;
  make_work(KernelCatalog::load(kernels).selected(), settings, notices);
  for (const std::string& notice : notices) write_err(notice);
}

std::string value_of(const config::Setting& setting) {
  const std::string recording = setting.name == "device" ? model::recording_of(setting.value) : "";
  return recording.empty() ? setting.value : "replay:" + fs::absolute(recording).lexically_normal().string();
}

/// What `tuner run` is told: every setting of a sweep that somebody has set, and the kernels.
std::vector<std::string> run_arguments(const config::Settings& settings,
                                       const std::vector<std::string>& kernels) {
  std::vector<std::string> arguments;
  const auto add = [&](const std::string& flag, const std::string& value) {
    arguments.push_back(flag);
    arguments.push_back(value);
  };
  for (const std::string& kernel : kernels) add("--kernel", from_anywhere(kernel));
  std::vector<std::string> names = sweep_settings();
  names.insert(names.end(), {"publish_every_s", "cache_limit_mb"});
  for (const config::Setting& setting : settings.all()) {
    const bool ours = std::find(names.begin(), names.end(), setting.name) != names.end();
    if (ours && setting.layer != config::Layer::defaults)
      add(config::flag_name(setting.name), value_of(setting));
  }
  if (!settings.find("seed")) {
    const auto seed = model::DigestHash{}(model::Digest::random()) % 1'000'000'000;
    add("--seed", fmt::format("{}", seed));
  }
  return arguments;
}

/// What the command line says; elsewhere the setting is about other runs.
fs::path given_path(const config::Settings& settings, const char* name, const fs::path& otherwise) {
  const config::Setting* setting = settings.find(name);
  if (setting == nullptr || setting->layer != config::Layer::command_line) return otherwise;
  return fs::absolute(setting->value).lexically_normal();
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
  for (const std::string& option : options.sbatch) sweep.options.push_back(cluster::sbatch_option(option));
  return sweep;
}

}  // namespace

cluster::SweepFolder write_slurm_sweep(const Context& context, const SlurmOptions& options) {
  const config::Settings settings = context.settings();
  const std::vector<std::string> kernels = kernels_of(settings, options);
  require_sound(settings, kernels);
  const cluster::SlurmSweep sweep = describe(context, settings, options, kernels);
  make_folder(sweep.folder);
  const std::string hint = "give another --folder";
  util::write_file(sweep.folder.array_script().string(), cluster::array_script(sweep), hint);
  util::write_file(sweep.folder.last_script().string(), cluster::last_script(sweep), hint);
  cluster::write_description(sweep.folder, {sweep.shards, sweep.command, sweep.result});
  return sweep.folder;
}

}  // namespace tuner::cli
