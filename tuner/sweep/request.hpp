#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/compile/compile_pool.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial_runner.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/sweep/observer.hpp"
#include "tuner/sweep/shard.hpp"

namespace tuner::sweep {

/// Deaths of the measuring process that put a trial, or what is probed, under quarantine.
constexpr int quarantine_deaths = 2;

/// A kernel and the problems to tune it for, all of its family.
struct Work {
  space::KernelSpace kernel;
  std::vector<model::Problem> problems;
};

/// When to stop before everything is measured; absent: never.
struct Budget {
  std::optional<double> seconds;
  std::optional<double> device_seconds;  ///< inside the runners, summed over them
  std::optional<std::int64_t> trials;
};

/// What a sweep is to do.
struct Request {
  std::vector<Work> work;
  /// Kernels of the same families that are not tuned now, but whose specs are at hand: what they did before
  /// takes part in finals, and says what would be dropped.
  std::vector<Work> rivals;
  model::DeviceInfo device;
  std::string compiler;  ///< name and version, part of every identity: `nvrtc 13.0`
  model::MeasurePolicy policy;
  std::string strategy = "auto";                         ///< as --strategy takes it, see StrategyChoice
  std::span<const search::StrategyKind> own_strategies;  ///< known beside those of the table
  /// A problem's search ends when Outlook::high of its strategy is below this share of the best time; 0: it
  /// ends with its space, of which nothing is passed over; absent: as StrategyChoice has it.
  std::optional<double> until;
  std::uint64_t seed = 0;  ///< of the order and of the inputs
  Budget budget;
  /// The part of the list that is this sweep's; absent: all of it. A part knows too little for a final.
  std::optional<Shard> shard;
  bool fresh = false;         ///< measure again what is known
  bool retry_failed = false;  ///< try again what failed when it was run
  /// Of a replayed device: the name that the recording knows it by; else empty.
  std::string recorded_device;
  model::RunRecord run;
};

/// What the device's limits say of a compiled kernel, before any launch. Both may be empty: then nothing is
/// known.
struct LaunchOracle {
  /// Why not one block fits, as a sentence with numbers.
  std::function<std::optional<std::string>(const model::KernelResources&, const model::Step&)>
      why_unlaunchable;
  std::function<std::optional<model::Occupancy>(const model::KernelResources&, const model::Step&)> occupancy;
};

/// What a sweep works with; nothing is owned.
struct Services {
  compile::CompilePool& pool;
  /// One for each device that works on it, at least one. The devices are alike: only id and uuid differ.
  std::vector<model::TrialRunner*> runners;
  model::ResultSink& sink;
  model::ResultSource& source;
  Observer& observer;
  LaunchOracle oracle;
  std::function<double()> clock;    ///< seconds, never going back
  const std::atomic<bool>& stop;    ///< set from outside: finish the launch in hand and end
  bool has_told_of_others = false;  ///< that another path declares its kernels otherwise
};

enum class Ending { done, budget_spent, interrupted };

/// What a sweep did.
struct Summary {
  Ending ending = Ending::done;
  std::int64_t planned = 0;
  std::int64_t known = 0;
  std::int64_t finished = 0;
  std::int64_t failed = 0;     ///< of those finished
  std::int64_t competing = 0;  ///< of those finished, trials that may win
  std::int64_t competing_failed = 0;
  std::int64_t passed_over = 0;  ///< compiled, and then not worth running by the strategy
  std::int64_t unprepared = 0;   ///< left out, since their inputs or reference could not be made
  std::int64_t refused = 0;      ///< searches that ended as model::SearchEnding::refused
  std::int64_t finals = 0;
  double wall_seconds = 0;
  double measuring_seconds = 0;  ///< inside the runners: the devices' share, summed over them
  double waiting_seconds = 0;    ///< for a compilation with nothing ready to measure, likewise
  /// What each device did, in the order of Services::runners.
  struct Device {
    std::string id;
    std::int64_t trials = 0;
    double measuring_seconds = 0;
    std::string left;  ///< why it left the sweep before its end; empty: it did not
  };
  std::vector<Device> devices;
  compile::PoolStats compiling;
};

}  // namespace tuner::sweep
