#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/case.hpp"
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

/// Result of comparing an output with the reference.
struct Verification {
  bool checked = false;
  double error_ratio =
      0;  ///< largest |got - expected| / bound; at most 1 passes. Exact checks: 0 or infinity
  double error_ulp_scale = 0;  ///< largest |got - expected| / (u * magnitude); sound limit: rounding_terms
  std::int64_t wrong_elements = 0;
  std::int64_t first_wrong = -1;  ///< index of an offending element, -1 where there is none
  std::string buffer;             ///< the output it is about
  std::string rule = {};          ///< the check, for people: `rounding bound`, `equal`; empty: unknown
  bool operator==(const Verification&) const = default;
};

/// After `samples` samples a trial is dropped if its fastest sample exceeds `factor` times the best time.
struct Cut {
  int samples = 1;
  double factor = 3;
  bool operator==(const Cut&) const = default;
};

/// How finalists are told apart once all trials have raced; see FinalJob.
struct FinalPolicy {
  int finalists = 10;          ///< at most this many take part …
  double within = 1.1;         ///< … with at most this times the best time
  int choosing_rounds = 40;    ///< at most, until the fastest is separated from the others
  int confirming_rounds = 20;  ///< the rounds that follow; the reported times and ties come from these alone
  double time_limit_ns = 5e9;  ///< timed work of each of the two parts
  bool operator==(const FinalPolicy&) const = default;
};

/// How timed launches follow each other.
enum class Execution {
  graph,   ///< back to back in a CUDA graph: the time of the device
  stream,  ///< each launched into a stream: with the gaps that the device makes between launches
  eager,   ///< each launched and waited for, by the host's clock: with the host's call
};

template <>
struct Words<Execution> {
  static constexpr std::string_view all[] = {"graph", "stream", "eager"};
};

/// What a search minimises.
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

/// A trial that takes longer than this cannot be better than `value` (J or J*s), since its device draws at
/// least `idle_w`.
double time_bound_ns(Objective objective, double value, double idle_w);

/// How samples are taken. Its name, which ends in a version, is part of the environment.
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
  bool energy = false;                    ///< the energy of finalists is measured
  Objective objective = Objective::time;  ///< other than `time`: the energy of every trial is measured once
  double clock_mhz = 0;                   ///< to which the multiprocessors are locked; 0: not locked
  bool operator==(const MeasurePolicy&) const = default;
};

/// Whether launches of `time_ns` are too short to do the work that a single run on fresh outputs did in
/// `work_ns`. Fresh outputs cool the caches, but for an honest kernel the two are within a factor of four
/// plus the launch overhead.
constexpr bool takes_less_than_its_work(double time_ns, double work_ns) {
  constexpr double most_honest = 4;
  constexpr double launching_ns = 25'000;
  return work_ns > most_honest * time_ns + launching_ns;
}

/// Samples of one trial, taken together.
struct Measurement {
  std::vector<double> samples_ns;  ///< per launch sequence; in the order taken
  int launches_per_sample = 1;
  double median_ns = 0;
  double low_ns = 0;  ///< 95 % interval of the median
  double high_ns = 0;
  double min_ns = 0;
  double sm_clock_mhz = 0;               ///< median over the samples; 0: unknown
  int throttled_samples = 0;             ///< taken at a lowered clock and left out of the figures above
  double temperature_c = 0;              ///< of the GPU after the last sample; 0: unknown, as for power
  double power_w = 0;                    ///< after the last sample
  bool includes_launch_latency = false;  ///< so short that its time is not the kernel's alone
  bool operator==(const Measurement&) const = default;
};

/// Energy of one execution, by the device's own counter over runs long enough for it.
struct Energy {
  double mean_j = 0;
  double low_j = 0;  ///< 95 % interval of the mean; 0 after a single run
  double high_j = 0;
  double mean_ns = 0;    ///< time of one execution during these runs
  double idle_w = 0;     ///< power of the waiting device, measured in the same process
  double clock_mhz = 0;  ///< mean SM clock during these runs; 0: unknown
  int runs = 0;
  std::int64_t sequence = 0;  ///< of the result it came with (TrialRecord::sequence); 0: not recorded yet
  double watts() const { return mean_j / (mean_ns * 1e-9); }
  bool operator==(const Energy&) const = default;
};

/// One trial as a measuring process receives it: complete, with every expression evaluated.
struct TrialJob {
  Digest key;  ///< of the trial, see trial_key(); a recording is looked up by it
  Plan plan;
  std::vector<std::byte> binary;
  std::vector<KernelResources> kernels;
  std::vector<std::byte> library =
      {};  ///< called by steps of the plan or of a probe, beside the kernels; empty: none
  std::vector<std::byte> reference_binary;
  std::vector<KernelResources> reference_kernels;
  Digest reference_key;  ///< key of the reference's CompileJob
  MeasurePolicy policy;
  /// Small awkward problems on which the binary is run and verified first. Usually empty: once for each
  /// binary is enough.
  std::vector<Plan> probes;
  double best_ns = 0;      ///< best time of the case so far, for dropping early; 0: none
  std::uint64_t seed = 0;  ///< of the inputs
  Role role = Role::competitor;
  /// The kernel may try to look right and fast, so it is examined again after timing:
  /// measure::Examination::interrogate().
  bool distrusted = false;
  bool operator==(const TrialJob&) const = default;
};

/// What an outcome speaks about. A binary that is wrong on a probe is wrong for all its trials. A problem
/// whose inputs or reference cannot be made, or a device that broke, says nothing about its trials.
enum class Subject { trial, binary, problem, device };

/// The outputs of a run, bit for bit.
struct OutputBits {
  Digest inputs;   ///< both input sets, see inputs_drawn_key()
  Digest outputs;  ///< every output, on both input sets
  bool operator==(const OutputBits&) const = default;
};

/// Whether two runs on one problem give the same bits; unknown where their inputs differ.
enum class BitsRelation { unknown, same, other };
BitsRelation compare_bits(const std::optional<OutputBits>& a, const std::optional<OutputBits>& b);

/// How a trial ended. A failure is a value.
struct TrialOutcome {
  TrialStatus status = TrialStatus::ok;
  /// The driver's error, what was wrong and where; ok: empty, a note (it printed), or a library's version.
  std::string detail;
  Verification verification;
  std::optional<Measurement> measurement;  ///< present for ok and dropped
  bool device_lost = false;  ///< the measuring process can launch nothing more and must be replaced
  int driver_blocks_per_multiprocessor = -1;  ///< the driver's own figure for the first launch; -1: not asked
  Subject subject = Subject::trial;
  bool probes_passed = false;  ///< the job had probes, and all of them were right
  /// Only where repeated runs have shown the kernel to be deterministic; absent: not examined.
  std::optional<OutputBits> output_bits;
  std::optional<Energy> energy = {};  ///< absent: not asked for, or the device has no counter
  /// The median, where it may compete for `best`.
  std::optional<double> trusted_ns() const {
    return measurement && has_trusted_time(status) ? std::optional(measurement->median_ns) : std::nullopt;
  }
  bool operator==(const TrialOutcome&) const = default;
};

/// Work that a problem needs, whatever the kernel; 0: its spec does not say.
struct Workload {
  double operations = 0;
  double bytes = 0;
  bool operator==(const Workload&) const = default;
};

/// A trial as it is stored: identity, circumstances and result.
struct TrialRecord {
  Digest key;
  std::string kernel;
  Configuration configuration;
  /// Macros whose value in the source is not in the configuration: spelled parameters and derived macros.
  /// Values are words.
  Configuration macros;
  Problem problem;
  Environment environment;
  Role role = Role::competitor;
  bool is_default = false;  ///< the configuration a user would have without tuning
  /// Why it was tried, for people: `random`, `model`, another size, another device; empty: a baseline, or
  /// unknown.
  std::string origin;
  /// Covers everything that decides what the kernel's configurations run and what is right
  /// (KernelSpace::definition); empty: unknown.
  Digest definition;
  Digest binary_key;
  Digest probe_key;  ///< see probe_key(); empty: the kernel has no probes
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
  /// A Lamport clock. It grows with each result of a run, which tells what came before a final
  /// (FinalRecord::Coverage). It exceeds that of every result of this trial known when it was recorded, so
  /// the result with the largest one is current. Set by the database; below 1 in rows from databases before
  /// version 9, which compared times.
  std::int64_t sequence = 0;
  bool operator==(const TrialRecord&) const = default;
};

/// Identity of a trial: what is compiled, how it is launched, problem and environment. Needs no compiler.
Digest trial_key(const std::string& kernel, const Configuration& configuration, const Digest& binary_key,
                 const Plan& plan, const Digest& reference_key, const Problem& problem,
                 const Environment& environment);

/// Identity of what probes judge: a binary, the plans it is run by, the reference, and the device.
/// Configurations that share a binary may differ in arguments and so in their plans.
Digest probe_key(const Digest& binary_key, const std::vector<Plan>& probes, const Digest& reference_key,
                 const Environment& environment);

/// The verdict of a binary's probes.
struct ProbeVerdict {
  Digest probe;                          ///< see probe_key()
  TrialStatus status = TrialStatus::ok;  ///< ok: they passed
  std::string detail;                    ///< what was wrong, and on which probe
  int deaths = 0;                        ///< of the measuring process while they ran
  Digest trial;                          ///< the trial before which they ran
  Digest run;
  std::string measured_at;  ///< set by the database
  bool operator==(const ProbeVerdict&) const = default;
};

/// The best trials of one problem, sampled in turn. Drift affects all of them alike, so sample i of one can
/// be compared with sample i of another.
///
/// A round takes one sample of every finalist, in random order. Choosing rounds find the fastest: finalists
/// that are clearly slower leave, until one is left or the policy's limit is reached. Confirming rounds then
/// sample the remaining ones afresh, and the reported figures come from these alone: the smallest of many
/// noisy medians is biased.
struct FinalJob {
  std::vector<TrialJob> trials;  ///< of one problem and one policy, all verified before
  std::uint64_t seed = 0;        ///< of the order within rounds, and of the bootstrap
};

/// How one finalist did.
struct Standing {
  /// From the confirming rounds; where the finalist left before, from the rounds it took part in.
  Measurement measurement;
  /// Its time divided by the fastest one's over their common rounds (measure::paired_ratio), with an interval
  /// that holds for all finalists at once with 95 %. 1 for the fastest. A tied finalist may have less than 1,
  /// since the fastest was chosen before these rounds.
  double ratio = 1;
  double ratio_low = 1;
  double ratio_high = 1;
  bool tied =
      false;  ///< it is the fastest, or cannot be told from it (measure::Final says when); never a baseline
  std::optional<Energy> energy = {};
  bool operator==(const Standing&) const = default;
};

struct FinalOutcome {
  std::vector<Standing> standings;  ///< parallel to FinalJob::trials; empty where the final failed
  std::size_t fastest = 0;
  int rounds = 0;            ///< of both parts together
  int throttled_rounds = 0;  ///< taken again because a sample's clock was lowered
  /// Why there are no standings. `culprit` is the finalist that failed here though it passed before.
  TrialOutcome failure;
  std::optional<std::size_t> culprit;
  bool complete() const { return !standings.empty(); }
  bool operator==(const FinalOutcome&) const = default;
};

/// A final as it is stored.
struct FinalRecord {
  /// Results that the choice of finalists considered, finalist or not: those of one run and kernel with a
  /// sequence from `first` to `last`. Results that another database adds later are not covered, however early
  /// they were measured.
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
  /// The one to use. Among tied entries whose interval ends below 1.01 it has the fewest registers, then the
  /// smallest block, then the first kernel and configuration by name.
  Digest chosen;
  int rounds = 0;
  int throttled_rounds = 0;
  std::vector<Coverage> coverage;  ///< recording adds the finalists with their results of this final
  Digest run;
  std::string measured_at;    ///< UTC, ISO 8601; set by the database
  std::int64_t sequence = 0;  ///< as TrialRecord::sequence, set by the database
  bool operator==(const FinalRecord&) const = default;
};

/// A hardware counter over one run of a trial's steps.
struct Counter {
  std::string metric;  ///< NVIDIA's name: dram__bytes_read.sum
  double value = 0;
  std::string unit;  ///< NVIDIA's word: `byte`, `percent`; may be empty
  bool operator==(const Counter&) const = default;
};

/// A trial to be counted, and metrics wanted beside the usual ones.
struct ProfileJob {
  TrialJob trial;
  std::vector<std::string> metrics;
};

/// What counting gave.
struct Profile {
  TrialOutcome outcome;  ///< ok: it was verified and counted
  std::vector<Counter> counters;
  int passes = 0;  ///< runs it took
  bool operator==(const Profile&) const = default;
};

/// Phases of a running trial. Probes need inputs too, so `preparing` may come before and after `probing`.
/// `verifying` and `timing` are reported again as they go on: each report restarts a supervisor's deadline,
/// so a deadline is for one launch.
enum class TrialPhase {
  preparing,  ///< makes inputs and runs the reference; slow for large problems, and no fault of the kernel
  probing,    ///< runs the binary on small awkward problems; reported before each launch
  loading,    ///< loads the binary
  verifying,
  timing,
  clearing,  ///< its process has died, or is killed: told by who started it, until the next process has it
};

template <>
struct Words<TrialPhase> {
  static constexpr std::string_view all[] = {"preparing", "probing", "loading",
                                             "verifying", "timing",  "clearing"};
};

/// Base of interfaces: deleted through them, never copied.
class Seam {
 public:
  Seam() = default;
  Seam(const Seam&) = delete;
  Seam& operator=(const Seam&) = delete;
  virtual ~Seam() = default;
};

/// Thrown by a TrialRunner that gives a job up: nothing was launched.
struct NotPrepared {};

/// Runs one trial and says how it ended. Implemented over a Device (measure), over a child process (worker),
/// and over a recording (device/replay). One caller at a time.
class TrialRunner : public Seam {
 public:
  virtual const DeviceInfo& device() const = 0;
  /// Announces trials, so that slow steps (a context, a process) can start. Does not wait for them.
  virtual void prepare() {}
  virtual TrialOutcome run(const TrialJob& job) = 0;
  /// The same, but calls `before_launch` once before anything is launched; it writes what must be on the disk
  /// by then. A runner in another process meanwhile goes on with the steps before a launch. If
  /// `before_launch` throws, nothing is launched and the exception passes through.
  virtual TrialOutcome run_with_notice(const TrialJob& job, const std::function<void()>& before_launch) {
    before_launch();
    return run(job);
  }
  /// `job` has at least one trial. A failure is a value here too.
  virtual FinalOutcome run_final(const FinalJob& job) = 0;
  /// The same, but calls `before_work` with the place of a finalist before each time that it has that to do:
  /// who is at work when the process dies is the culprit. Runners that do not share a process with the trial
  /// leave it out.
  virtual FinalOutcome run_final_with_notice(const FinalJob& job,
                                             const std::function<void(std::size_t)>& /*before_work*/) {
    return run_final(job);
  }
  /// Verifies the trial and reads hardware counters over one run; nothing is timed. Throws model::Error where
  /// nothing can be counted.
  virtual Profile profile(const ProfileJob& /*job*/) {
    throw Error(device().id + " has no hardware counters", "they are NVIDIA GPUs'");
  }
  /// `listener` is called from within run() as each phase begins; null ends that. Runners without phases
  /// ignore it.
  virtual void report_phases_to(std::function<void(TrialPhase)> /*listener*/) {}
  /// `is_late` is asked from within run() and run_final() while inputs and references are made, which may
  /// take minutes. Where it holds for a second, the job is given up: NotPrepared. Runners that cannot ignore
  /// it.
  virtual void give_up_preparing_if(std::function<bool()> /*is_late*/) {}
};

}  // namespace tuner::model
