#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/metrics.hpp"
#include "tuner/model/plan.hpp"
#include "tuner/model/words.hpp"

namespace tuner::model {

/// Theoretical occupancy of one launch on one device.
struct Occupancy {
  int blocks_per_multiprocessor = 0;
  int active_warps_per_multiprocessor = 0;
  double fraction = 0;                  ///< active warps / the most the multiprocessor holds
  std::vector<std::string> limited_by;  ///< `warps`, `registers`, `shared memory`, `blocks`, `barriers`
  bool operator==(const Occupancy&) const = default;
};

/// What comparing an output with the reference said.
struct Verification {
  bool checked = false;
  double error_ratio =
      0;  ///< largest |got - expected| / bound; at most 1 passes. Exact checks: 0 or infinity
  double error_ulp_scale = 0;  ///< largest |got - expected| / (u * magnitude); sound limit: rounding_terms
  std::int64_t wrong_elements = 0;
  std::int64_t first_wrong = -1;  ///< index of an offending element, -1 where there is none
  std::string buffer;             ///< the output it is about
  std::string rule = {};  ///< by which it was judged, for people: `rounding bound`, `equal`; empty: unknown
  bool operator==(const Verification&) const = default;
};

/// After `samples` samples a trial is dropped when its fastest exceeds the best time times `factor`.
struct Cut {
  int samples = 1;
  double factor = 3;
  bool operator==(const Cut&) const = default;
};

/// How the best of a problem are told apart once all have raced; see FinalJob.
struct FinalPolicy {
  int finalists = 10;          ///< at most so many take part …
  double within = 1.1;         ///< … whose time is at most the best one's times this
  int choosing_rounds = 40;    ///< at most, until the fastest is separated from the others
  int confirming_rounds = 20;  ///< that follow: what is reported, and who is tied, comes from these alone
  double time_limit_ns = 5e9;  ///< timed work of each of the two parts
  bool operator==(const FinalPolicy&) const = default;
};

/// How the launches that are timed follow each other.
enum class Execution {
  graph,   ///< back to back in a CUDA graph: the time of the device
  stream,  ///< each launched into a stream: with the gaps that the device makes between launches
  eager,   ///< each launched and waited for, by the host's clock: with the host's call
};

template <>
struct Words<Execution> {
  static constexpr std::string_view all[] = {"graph", "stream", "eager"};
};

/// What a search makes as small as it can.
enum class Objective {
  time,
  energy,  ///< of one execution
  edp,     ///< energy times time
};

template <>
struct Words<Objective> {
  static constexpr std::string_view all[] = {"time", "energy", "edp"};
  static constexpr const char* expected = "time, energy or edp";
};

/// In ns, J or J*s.
constexpr double objective_value(Objective objective, double time_ns, double energy_j) {
  if (objective == Objective::time) return time_ns;
  return objective == Objective::energy ? energy_j : energy_j * time_ns * 1e-9;
}

/// The time from which on a trial cannot be better than `value` (J or J*s): whatever it does, its device
/// draws what it draws when it idles.
double time_bound_ns(Objective objective, double value, double idle_w);

/// How samples are taken; its name and version are part of the environment.
struct MeasurePolicy {
  std::string name = "standard-3";
  int samples = 10;                               ///< timed samples of a trial that is not dropped
  std::vector<Cut> cuts = {{1, 1.5}, {3, 1.15}};  ///< by rising number of samples; empty: nothing is dropped
  FinalPolicy final;
  double batch_below_ns = 100'000;  ///< launches shorter than this are timed back to back, several a sample …
  double batch_ns = 500'000;        ///< … as many as fill this time
  double time_limit_ns = 3e7;       ///< stop sampling a trial after this much timed work
  bool flush_l2 = false;
  Execution execution = Execution::graph;
  bool energy = false;                    ///< that of finalists is measured
  Objective objective = Objective::time;  ///< of another the energy of each trial is measured, once
  double clock_mhz = 0;                   ///< that the multiprocessors are locked to; 0: they are not
  bool operator==(const MeasurePolicy&) const = default;
};

/// Whether a launch of `time_ns` cannot be one that does what takes `work_ns` in a single run on fresh
/// outputs. Honest kernels are less far apart than four times and what launching takes, though fresh outputs
/// cool the caches.
constexpr bool takes_less_than_its_work(double time_ns, double work_ns) {
  constexpr double most_honest = 4;
  constexpr double launching_ns = 25'000;
  return work_ns > most_honest * time_ns + launching_ns;
}

/// A set of samples of one trial taken together.
struct Measurement {
  std::vector<double> samples_ns;  ///< per launch sequence; in the order taken
  int launches_per_sample = 1;
  double median_ns = 0;
  double low_ns = 0;  ///< 95 % interval of the median
  double high_ns = 0;
  double min_ns = 0;
  double sm_clock_mhz = 0;               ///< median over the samples; 0: unknown
  int throttled_samples = 0;             ///< taken at a lowered clock, and left out of the above
  double temperature_c = 0;              ///< of the GPU after the last sample; 0: unknown
  double power_w = 0;                    ///< likewise
  bool includes_launch_latency = false;  ///< too short for its time to mean the kernel alone
  bool operator==(const Measurement&) const = default;
};

/// What one execution takes from the device's supply, by the device's own counter over runs that are long
/// enough for it.
struct Energy {
  double mean_j = 0;
  double low_j = 0;  ///< 95 % interval of the mean; 0: one run gives none
  double high_j = 0;
  double mean_ns = 0;    ///< time of one execution meanwhile
  double idle_w = 0;     ///< of the device that waits, measured in the same process
  double clock_mhz = 0;  ///< mean of the multiprocessors meanwhile; 0: unknown
  int runs = 0;
  std::int64_t sequence = 0;  ///< of the result it came with (TrialRecord::sequence); 0: not recorded yet
  double watts() const { return mean_j / (mean_ns * 1e-9); }
  bool operator==(const Energy&) const = default;
};

/// One trial as a measuring process gets it: self-contained, no expression left to evaluate.
struct TrialJob {
  Digest key;  ///< of the trial, see trial_key(); what a recording is asked for
  Plan plan;
  std::vector<std::byte> binary;
  std::vector<KernelResources> kernels;
  std::vector<std::byte> library =
      {};  ///< that steps of the plan or of a probe call, beside the kernels; empty: none
  std::vector<std::byte> reference_binary;
  std::vector<KernelResources> reference_kernels;
  Digest reference_key;  ///< key of the reference's CompileJob
  MeasurePolicy policy;
  /// The same binary on small awkward problems, run and verified before it is measured; usually empty, since
  /// once a binary is enough.
  std::vector<Plan> probes;
  double best_ns = 0;      ///< of the same problem and class so far, for early drop; 0: none
  std::uint64_t seed = 0;  ///< of the inputs
  Role role = Role::competitor;
  /// The kernel may try to look right and fast: it is looked at more closely after it was timed, see
  /// measure::Examination::interrogate().
  bool distrusted = false;
  bool operator==(const TrialJob&) const = default;
};

/// What an outcome is a verdict of. What was wrong with a binary on a probe is wrong with each of its trials;
/// a problem whose inputs or reference cannot be made is nobody's fault among its trials; nor is a device
/// that broke under them.
enum class Subject { trial, binary, problem, device };

/// What the outputs of a run hold, to the last bit.
struct OutputBits {
  Digest inputs;   ///< what both input sets are drawn from, see inputs_drawn_key()
  Digest outputs;  ///< of every output, on both
  bool operator==(const OutputBits&) const = default;
};

/// Whether two runs on one problem give the same bits. Those of other inputs say nothing of each other.
enum class BitsRelation { unknown, same, other };
BitsRelation compare_bits(const std::optional<OutputBits>& a, const std::optional<OutputBits>& b);

/// What running it gave. A failure is a value.
struct TrialOutcome {
  TrialStatus status = TrialStatus::ok;
  /// The driver's error, what was wrong and where; ok: empty, a note (it printed), or a library's version.
  std::string detail;
  Verification verification;
  std::optional<Measurement> measurement;  ///< present for ok and dropped
  bool device_lost = false;                ///< the process that measured can launch nothing more: replace it
  int driver_blocks_per_multiprocessor =
      -1;  ///< the driver's own occupancy of the first launch; -1: not asked
  Subject subject = Subject::trial;
  bool probes_passed = false;  ///< the job had probes, and all of them were right
  /// Of a kernel that is deterministic, as its repeated runs have shown; absent: nobody looked.
  std::optional<OutputBits> output_bits;
  std::optional<Energy> energy = {};  ///< absent: nobody asked, or the device cannot tell
  /// Its median where that may compete for `best`.
  std::optional<double> trusted_ns() const {
    return measurement && has_trusted_time(status) ? std::optional(measurement->median_ns) : std::nullopt;
  }
  bool operator==(const TrialOutcome&) const = default;
};

/// What a problem asks of a device, however it is solved; 0: its spec does not say.
struct Workload {
  double operations = 0;
  double bytes = 0;
  bool operator==(const Workload&) const = default;
};

/// A trial as remembered: identity, circumstances and result, flat enough for any report.
struct TrialRecord {
  Digest key;
  std::string kernel;
  Configuration configuration;
  /// Macros of which the configuration does not say what the source saw: parameters that are spelled, and
  /// those worked out from others. Values are words.
  Configuration macros;
  Problem problem;
  Environment environment;
  Role role = Role::competitor;
  bool is_default = false;  ///< the configuration a user would have without tuning
  /// Where the idea to try it came from, for people: `random`, `model`, another size, another device; empty:
  /// a baseline, or unknown.
  std::string origin;
  /// Of all that decides what the kernel's configurations run and what is right (KernelSpace::definition);
  /// empty: unknown.
  Digest definition;
  Digest binary_key;
  Digest probe_key;  ///< what is judged by running the probes, see probe_key(); empty: there are none
  Dim3 grid;         ///< of the first launch
  Dim3 block;
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<KernelResources> resources;  ///< of the first launch's kernel; absent when it did not compile
  std::optional<Occupancy> occupancy;
  double compile_ms = 0;
  std::string compile_log;
  TrialOutcome outcome;
  Workload workload;
  Metrics metrics;          ///< name with unit -> value at the median time
  std::string measured_at;  ///< UTC, ISO 8601; set by the database
  Digest run;               ///< the run that measured it
  std::string gpu = {};     ///< uuid of the device that measured it; empty: not run, or unknown
  /// Grows with each result of a run, so that of one run's results it can be said which came before a final
  /// (FinalRecord::Coverage). Larger than those of all results of this trial that were known when it was
  /// recorded (Lamport's clock), so that of two results of a trial the larger is the current one. Set by the
  /// database; below 1 where it is of one that compared times instead, before version 9.
  std::int64_t sequence = 0;
  bool operator==(const TrialRecord&) const = default;
};

/// Identity of a trial: what is compiled, how it is launched, on which problem, in which class. Needs no
/// compiler.
Digest trial_key(const std::string& kernel, const Configuration& configuration, const Digest& binary_key,
                 const Plan& plan, const Digest& reference_key, const Problem& problem,
                 const Environment& environment);

/// Identity of what running the probes judges: a binary with the plans it is run by, the reference it is held
/// against, and the device it runs on. Configurations that share a binary may differ in arguments and so in
/// their plans.
Digest probe_key(const Digest& binary_key, const std::vector<Plan>& probes, const Digest& reference_key,
                 const Environment& environment);

/// What the probes said.
struct ProbeVerdict {
  Digest probe;                          ///< see probe_key()
  TrialStatus status = TrialStatus::ok;  ///< ok: they passed
  std::string detail;                    ///< what was wrong, and on which probe
  int deaths = 0;                        ///< of the measuring process, seen while they were run
  Digest trial;                          ///< that was to be measured when they were run
  Digest run;
  std::string measured_at;  ///< set by the database
  bool operator==(const ProbeVerdict&) const = default;
};

/// The best trials of one problem, to be sampled in turn: whatever drifts hits all of them alike, so sample i
/// of one may be held against sample i of another.
///
/// Rounds, each with one sample of every finalist in an order of its own, first choose the fastest: who is
/// clearly slower leaves, until one is left or the policy's limit is reached. Then as many rounds as the
/// policy says are taken afresh of those left. The figures of the fastest are from these alone: the best of
/// many noisy medians is better than it deserves.
struct FinalJob {
  std::vector<TrialJob> trials;  ///< of one problem and one policy, all verified before
  std::uint64_t seed = 0;        ///< of the order within rounds, and of the bootstrap
};

/// How one finalist did.
struct Standing {
  /// From the confirming rounds; of a finalist that left before, from the rounds it took part in.
  Measurement measurement;
  /// Its time by the fastest one's over the rounds both took part in (measure::paired_ratio), and an interval
  /// that holds for all finalists at once with 95 %. The fastest: 1. One that is tied may have less than 1:
  /// the fastest was chosen before these rounds.
  double ratio = 1;
  double ratio_low = 1;
  double ratio_high = 1;
  bool tied = false;  ///< cannot be told from the fastest (measure::Final says when), or it is the fastest;
                      ///< never a baseline
  std::optional<Energy> energy = {};
  bool operator==(const Standing&) const = default;
};

struct FinalOutcome {
  std::vector<Standing> standings;  ///< parallel to FinalJob::trials; empty where the final failed
  std::size_t fastest = 0;
  int rounds = 0;            ///< of both parts together
  int throttled_rounds = 0;  ///< taken again because a sample's clock was lowered
  /// Why there are no standings; a finalist that fails here though it passed before is named in `culprit`.
  TrialOutcome failure;
  std::optional<std::size_t> culprit;
  bool complete() const { return !standings.empty(); }
  bool operator==(const FinalOutcome&) const = default;
};

/// A final as remembered.
struct FinalRecord {
  /// Results that were there when the finalists were chosen, so that the final speaks of them too, finalist
  /// or not: those of one run and kernel with a sequence from `first` to `last`. Sets, not times: what
  /// another database adds later is not covered, however early it was measured.
  struct Coverage {
    Digest run;  ///< empty: unknown
    std::string kernel;
    std::int64_t first = 0;
    std::int64_t last = 0;
    auto operator<=>(const Coverage&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Entry {
    Digest trial;
    double ratio = 1;  ///< these four as in Standing
    double ratio_low = 1;
    double ratio_high = 1;
    bool tied = false;
    bool operator==(const Entry&) const = default;
  };
  Problem problem;
  Environment environment;
  /// Fastest first, baselines after all that may win.
  std::vector<Entry> entries;
  /// The one to use, by a rule among those tied whose interval ends below 1.01: fewest registers, then the
  /// smallest block, then kernel and configuration by name.
  Digest chosen;
  int rounds = 0;
  int throttled_rounds = 0;
  std::vector<Coverage> coverage;  ///< its finalists, as they were measured in it, are added when it is kept
  Digest run;
  std::string measured_at;    ///< UTC, ISO 8601; set by the database
  std::int64_t sequence = 0;  ///< as TrialRecord::sequence, set by the database
  bool operator==(const FinalRecord&) const = default;
};

/// What a hardware counter said of one run of a trial's steps.
struct Counter {
  std::string metric;  ///< NVIDIA's name: dram__bytes_read.sum
  double value = 0;
  std::string unit;  ///< NVIDIA's word: `byte`, `percent`; may be empty
  bool operator==(const Counter&) const = default;
};

/// A trial whose steps are to be counted, and the metrics that are wanted beside the usual ones.
struct ProfileJob {
  TrialJob trial;
  std::vector<std::string> metrics;
};

/// What counting gave.
struct Profile {
  TrialOutcome outcome;  ///< ok: it was right, and counted
  std::vector<Counter> counters;
  int passes = 0;  ///< runs it took
  bool operator==(const Profile&) const = default;
};

/// What a running trial does next. Inputs are prepared for probes too, so preparing may come before and after
/// probing. Verifying and timing are told again where they go on, so that a supervisor's deadline, which
/// starts anew with each, is one for a launch.
enum class TrialPhase {
  preparing,  ///< makes inputs and runs the reference: slow for large problems, and not the kernel's fault
  probing,    ///< runs the binary on small awkward problems, told again before each launch of it
  loading,    ///< loads the binary
  verifying,
  timing,
};

template <>
struct Words<TrialPhase> {
  static constexpr std::string_view all[] = {"preparing", "probing", "loading", "verifying", "timing"};
};

/// Base of what is used through an interface: it is deleted through it and never copied.
class Seam {
 public:
  Seam() = default;
  Seam(const Seam&) = delete;
  Seam& operator=(const Seam&) = delete;
  virtual ~Seam() = default;
};

/// Runs one trial and says how it ended. Implemented over a Device (measure), over a child process (worker),
/// and over a recording (device/replay). One caller at a time.
class TrialRunner : public Seam {
 public:
  virtual const DeviceInfo& device() const = 0;
  /// Trials will follow: what takes a while (a context, a process) may begin now. Does not wait for it.
  virtual void prepare() {}
  virtual TrialOutcome run(const TrialJob& job) = 0;
  /// The same; `before_launch` is called once, before anything of the job is launched: what must be on the
  /// disk by then is written in it. A runner that works in another process goes on meanwhile with what comes
  /// before a launch. What it throws passes through, and the job is not launched.
  virtual TrialOutcome run_with_notice(const TrialJob& job, const std::function<void()>& before_launch) {
    before_launch();
    return run(job);
  }
  /// A failure is a value here too. There is at least one trial.
  virtual FinalOutcome run_final(const FinalJob& job) = 0;
  /// Verifies the trial and counts what one run does; nothing is timed. Throws model::Error where nothing can
  /// be counted.
  virtual Profile profile(const ProfileJob& /*job*/) {
    throw Error(device().id + " has no hardware counters", "they are NVIDIA GPUs'");
  }
  /// From now on `listener` is called, from within run(), as each phase begins; a null one ends it. Runners
  /// that have no phases ignore it.
  virtual void report_phases_to(std::function<void(TrialPhase)> /*listener*/) {}
};

}  // namespace tuner::model
