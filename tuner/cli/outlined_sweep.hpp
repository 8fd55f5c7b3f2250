#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/result_store.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::cli {

/// Throws model::Error where one of `kernels` is compiled by nvcc for the device and there is none of the
/// release of `compiler` (`nvrtc 13.0`): before anything runs, and not at that kernel's turn.
void require_nvcc(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                  const std::string& compiler);

/// What to sweep, as the command line of `tuner run` says it.
struct SweepOptions {
  std::vector<std::string> kernels;
  std::optional<sweep::Shard> shard;
  bool fresh = false;
  bool retry_failed = false;
  std::string resume;  ///< the run that began what is resumed; once a run has begun, the first of the command
  bool counters = false;  ///< of finalists, once the sweep has ended
  bool energy = false;    ///< of finalists, in their final
  std::string clock;      ///< several, one run each; empty: as the GPU has it
  int clock_mhz = 0;      ///< that the GPU is locked to; 0: it is not
  std::string publish;
  std::string same_bits_as;  ///< as Question has it
};

/// A sweep that is planned or compiled for, and not run: nothing is published.
struct OutlineOptions : SweepOptions {
  std::string gpu;  ///< a GPU that need not be here, see add_outline_flags(); empty: the setting `device`
};

/// What is to be tuned, as far as that is known without a device or a database.
struct Selection {
  KernelCatalog catalog;
  std::vector<sweep::Work> work;
  std::vector<std::string> notices;
  std::shared_ptr<const interchange::RecordedSpace> recorded;  ///< where the setting `device` names one

  Backend open(const config::Settings& settings) const;
};

/// The kernels of `options`, else of the settings, else of the recording, on the problems of the settings.
/// Throws model::UsageError where nothing is left.
Selection select_work(const Context& context, const config::Settings& settings, const SweepOptions& options);

/// What the settings say that a kernel is for: each size with each padding. Throws as sizes_for() does, and
/// where the kernel does not offer the type, the padding or that many dimensions.
std::vector<model::Problem> problems_for(const model::KernelSpec& kernel, const config::Settings& settings,
                                         std::vector<std::string>& notices);

/// How `settings` have trials searched and measured on `backend`; without work.
sweep::Request make_request(const config::Settings& settings, const Backend& backend, int clock_mhz = 0);
/// The clocks of a sweep, one run each; 0: as the GPU has it.
std::vector<int> clocks_of(const SweepOptions& options);
/// The whole sweep, with baselines and rivals; `selection` keeps its catalog and its notices.
sweep::Request make_request(Selection& selection, const config::Settings& settings,
                            const SweepOptions& options, const Backend& backend, db::ResultStore& source);

/// Makes it a run that is recorded, with seeds and within the settings' budget.
void begin_run(const Context& context, const config::Settings& settings, sweep::Request& request);

/// The settings that say what a sweep does: those of `tuner run` but for its database, cache, report and
/// terminal.
std::string sweep_settings();
/// The same with those of the database, the cache and the report.
std::string sweep_flags();

std::uint64_t random_seed();

/// Adds its flags, and those of all settings of a sweep.
template <typename Options>
void add_sweep_flags(Command<Options>& command) {
  Options& options = command.options();
  command.option("--kernel,-k", options.kernels, "NAME|FILE",
                 "kernels to tune: names, families, spec files or folders");
  command.flag("--fresh", options.fresh, "measure again what is known; older measurements are kept");
  command.flag("--retry-failed", options.retry_failed,
               "try again what failed, quarantined trials and compile errors included");
  command.option(
      "--resume", options.resume, "RUN",
      "with --fresh or --retry-failed: keep what was measured since this run began, as the command "
      "that goes on with an interrupted one does");
  command
      ->template add_option_function<std::string>(
          "--shard", [&options](const std::string& text) { options.shard = sweep::parse_shard(text); },
          "a part of the work, for several machines: 3/16 is the third of sixteen")
      ->type_name("K/N");
  command.option("--publish", options.publish, "FILE",
                 "copy the database there from time to time, on SIGTERM and at the end: a file that machines "
                 "share; its results are known at the start");
  command.option("--same-bits-as", options.same_bits_as, "default|TRIAL",
                 std::string(same_bits_as_help) + "; that one is measured first");
  command.flag("--counters", options.counters,
               "at the end count what each size's finalists do on their GPU, as `tuner profile` does");
  command.flag("--energy", options.energy,
               "measure the energy of each size's finalists in their final; takes some seconds a size");
  command.option("--clock", options.clock, "MHZ,...|list",
                 "lock the GPU at these clocks, one run each, and let it go whatever happens; takes root");
  command.settings(sweep_flags());
  command.settings("metrics progress");
}
/// The same, and `--gpu`.
void add_outline_flags(Command<OutlineOptions>& command);

/// A sweep that is not run here: what `tuner run` with the same flags would have to do.
struct OutlinedSweep {
  /// Throws as `tuner run` does. Counting the configurations ends with the setting `budget`, where that is a
  /// time, and with a signal; it is shown where it takes long.
  OutlinedSweep(const Context& context, const OutlineOptions& options);

  config::Settings settings;
  db::ResultStore known;  ///< what was measured before; in memory where there is no database yet
  SignalGuard signals;
  terminal::LinePrinter printer;
  sweep::Request request;
  Backend backend;  ///< without a runner where its GPU need not be here
  sweep::TrialList list;
  std::vector<std::string> notices;
};

}  // namespace tuner::cli
