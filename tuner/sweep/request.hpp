#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/compile/compile_pool.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/record_fields.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/sweep/budget.hpp"

namespace tuner::sweep {

/// Who watches a sweep: a terminal, a log, a test. Called from the thread that runs it.
class Observer : public model::Seam {
 public:
  /// Before any work: `total` trials are in the sweep, and `known` of them have a result already.
  /// `may_end_early`: of some problem not all may be tried.
  virtual void planned(std::int64_t total, std::int64_t known, bool may_end_early) = 0;
  /// So many trials are to be done besides.
  virtual void more(std::int64_t /*trials*/) {}
  /// A trial's binary is on its way: in the cache, being compiled, or waiting for a compiler.
  virtual void compiling(const model::TrialRecord& /*trial*/) {}
  /// It is there, or could not be made.
  virtual void compiled(const model::TrialRecord& /*trial*/) {}
  /// A trial is about to be launched; its result follows.
  virtual void launching(const model::TrialRecord& trial) = 0;
  /// A trial's result is committed.
  virtual void finished(const model::TrialRecord& trial) = 0;
  /// A trial that was planned is not done: its problem could not be prepared (see notice()).
  virtual void left_out(const model::TrialRecord& trial) = 0;
  /// The best trials of `problem`, so many, are measured again in turn, with the baselines beside them.
  virtual void final_begins(const model::Problem& problem, std::size_t finalists) = 0;
  /// A problem's search has ended, and that is committed.
  virtual void search_ended(const model::SearchRecord& /*search*/) {}
  /// A problem's search has had its share of the budget. It goes on where the others leave some.
  virtual void search_pauses(const model::Problem& /*problem*/) {}
  /// Something a person should know; the sweep goes on.
  virtual void notice(const std::string& text) = 0;
};

/// Deaths of the measuring process that put a trial, or what is probed, under quarantine.
constexpr int quarantine_deaths = 2;

/// A kernel and the problems to tune it for, all of its family.
struct Work {
  space::KernelSpace kernel;
  std::vector<model::Problem> problems;
};

/// Whose bits the trials of a sweep are to give.
struct SameBits {
  /// Its configuration, at each size; nothing: the default of the kernel in hand.
  std::optional<model::TrialRecord> as;
  /// What is to be given; without one of its problem and kernel no trial is admitted.
  struct Reference {
    model::Problem problem;
    std::string kernel;  ///< empty: of whatever kernel
    model::OutputBits bits;
  };
  std::vector<Reference> references = {};

  model::BitsRelation relation(const model::Problem& problem, const std::string& kernel,
                               const std::optional<model::OutputBits>& bits) const;
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
  /// ends with its space, and passes nothing over; absent: as StrategyChoice has it.
  std::optional<double> until;
  std::uint64_t seed = 0;             ///< of the order
  std::uint64_t inputs_seed = 0;      ///< of the inputs: outputs compare bit by bit where it is the same
  std::optional<SameBits> same_bits;  ///< only trials that give these bits are searched by and may win
  Budget budget;
  /// The part of the list that is this sweep's; absent: all of it. A part knows too little for a final.
  std::optional<Shard> shard;
  bool fresh = false;  ///< measure again what is known, but for `resumed`
  /// What a search finds is the best of part of what competes, or by another measure than `best` goes by.
  bool is_own_question() const { return same_bits.has_value() || policy.objective != model::Objective::time; }
  bool retry_failed = false;        ///< try again what failed, but for `resumed`
  std::set<model::Digest> resumed;  ///< trials that the sweep which this one resumes has come to
  /// Of a replayed device: the name that the recording knows it by; else empty.
  std::string recorded_device;
  model::RunRecord run;
};

/// Whether a trial that may win counts in the sweep: it gives the bits that are asked for, if any are.
bool gives_bits(const Request& request, const model::TrialRecord& trial);

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
  const std::atomic<bool>& stop;    ///< set from outside: finish the trial or final in hand and end
  bool has_told_of_others = false;  ///< that another path declares its kernels otherwise
};

/// Where a device's share of a sweep went, in seconds. Together they are the time of the sweep.
struct DeviceTime {
  double first = 0;      ///< idle before its first job
  double starting = 0;   ///< and ending processes and contexts, as far as jobs wait for them
  double inputs = 0;     ///< of trials and finals, their references included
  double trials = 0;     ///< loading, verifying and timing them
  double libraries = 0;  ///< the same of trials of libraries, which start with the first of them
  double finals = 0;     ///< what they take beside inputs
  double held = 0;       ///< a trial waits for the leave to launch, or loads meanwhile
  double compilers = 0;  ///< idle while something is compiled
  double others = 0;     ///< idle while nothing is compiled: other devices are at work
  double between = 0;    ///< idle while the sweep decides and writes down
  double last = 0;       ///< idle after its last job

  /// All but what rounds to nothing: `trials 5.1 s, finals 1.2 s`.
  std::string text() const;
};

TUNER_FIELDS(DeviceTime, first, starting, inputs, trials, libraries, finals, held, compilers, others, between,
             last);

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
  std::int64_t skipped_by_strategy = 0;  ///< compiled, then predicted slow
  std::int64_t unprepared = 0;           ///< left out, since their inputs or reference could not be made
  std::string skipped_why;               ///< reason of the first skipped trial that may win
  std::int64_t refused = 0;              ///< searches that ended as model::SearchEnding::refused
  std::int64_t finals = 0;
  double wall_seconds = 0;
  double measuring_seconds = 0;  ///< inside the runners: the devices' share, summed over them
  double waiting_seconds = 0;    ///< for a compilation with nothing ready to measure, summed over devices
  /// What each device did, in the order of Services::runners.
  struct Device {
    std::string id;
    std::int64_t trials = 0;
    double measuring_seconds = 0;
    DeviceTime time;
    std::string left;  ///< why it left the sweep before its end; empty: it did not
  };
  std::vector<Device> devices;
  compile::PoolStats compiling;
};

}  // namespace tuner::sweep
