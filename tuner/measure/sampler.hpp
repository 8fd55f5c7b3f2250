#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/measure/statistics.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// `quick`, `standard`, `thorough`, `complete` (nothing is dropped) or `exhaustive` (100 samples of
/// everything), as --measure takes them. The policy's own name carries a version (`standard-3`): it is part
/// of the environment, so a change of any number below is a new version. With `flush_l2` samples start
/// with a cold L2 cache; `execution` says how launches follow each other. Throws model::UsageError for
/// another name.
model::MeasurePolicy policy(std::string_view name, bool flush_l2 = false,
                            model::Execution execution = model::Execution::graph);
std::vector<std::string_view> policy_names();

/// The samples of one problem on two occasions: processes, days, machines of one kind.
struct TwoOccasions {
  std::span<const double> a;  ///< at least one each, all positive
  std::span<const double> b;
};

/// Whether A is slower than it may be.
enum class Allowed { yes, no, undecided };
std::string_view to_string(Allowed allowed);

/// How much slower A is at one of several problems that are judged together: the fastest sample of A by that
/// of B. 99 %: the true ratios of all problems lie above their `low`, and below their `high`.
struct Slowdown : Ratio {
  Allowed allowed = Allowed::undecided;  ///< no: `low` is above the limit; yes: `high` is not
};
Slowdown slowdown_of(const Ratio& ratio, double limit);

/// Compares fastest samples, since what differs between two occasions (a clock lowered for power or heat,
/// other work on the GPU) only adds time: medians of one binary were seen to differ by 6 % between processes
/// where the fastest samples differed by 0.1 %. The spacing of the two fastest estimates how far the fastest
/// is from what the device can do (Robson and Whitlock, Estimation of a truncation point, Biometrika 51,
/// 1964). What else differs between occasions is estimated by how the ratios of all problems scatter around
/// their median, in median absolute deviations. Margins are of a normal distribution at 1 % for all problems
/// together (Bonferroni), so that in a hundred comparisons of unchanged kernels at most one has a problem not
/// allowed. Fewer than 3 samples on a side show no spacing: then the interval is that of unpaired_ratio().
/// `limit`: 0.01 allows one per cent.
std::vector<Slowdown> slowdowns(const std::vector<TwoOccasions>& problems, double limit);

/// What Sampler needs to know of a trial besides how to run it.
struct SamplingTask {
  model::MeasurePolicy policy;
  double best_ns = 0;                     ///< of the same problem and class; 0: none, nothing is dropped
  int kernels = 1;                        ///< kernel launches of one sequence
  std::vector<device::Timing> warm_runs;  ///< single runs already made with warm clocks, at least one
  double max_sm_clock_mhz = 0;            ///< of the device, to tell throttled samples by; 0: unknown
  std::function<void()> begin_sample;     ///< if there: called before each
};

struct Samples {
  model::Measurement measurement;
  bool dropped = false;
};

/// Times a verified sequence.
///
/// A sequence shorter than policy.batch_below_ns is timed in batches that last policy.batch_ns, after one
/// batch that does not count; a longer one singly, as its warm runs have been, so these count towards
/// policy.cuts and are kept when the trial is dropped. With policy.flush_l2 each sample is a single run
/// behind a flush. In a stream batches are of sequences up to policy.batch_ns, so that gaps are in the time,
/// and of no more launches than a stream holds. Sampling ends after policy.samples, or when
/// policy.time_limit_ns of timed work are spent, and six are taken or two seconds are over.
///
/// Throttled samples are thrown away and taken again, at most as many as policy.samples; where all are
/// throttled they are kept after all, and nothing is dropped on their account.
class Sampler {
 public:
  /// The references must outlive the object.
  Sampler(device::Device& device, device::Sequence& sequence, SamplingTask task);

  /// Throws device::DeviceFault.
  Samples run();

 private:
  bool clearly_slower(const std::vector<device::Timing>& samples, int batch) const;
  Samples dropped(const std::vector<device::Timing>& samples, int batch, int throttled) const;

  device::Device& m_device;
  device::Sequence& m_sequence;
  SamplingTask m_task;
};

/// Kernel launches of one sequence of these steps.
int count_kernels(const std::vector<model::Step>& steps);

/// How many runs of a sequence make a sample; `single_ns` is the time of one warm run. Throws
/// device::DeviceFault.
int choose_batch(device::Sequence& sequence, const model::MeasurePolicy& policy, double single_ns);

/// One sample of `batch` runs. Throws device::DeviceFault.
device::Timing take_sample(device::Device& device, device::Sequence& sequence,
                           const model::MeasurePolicy& policy, int batch);

/// Median over the samples whose clock is known; 0 where none is.
double median_clock_mhz(const std::vector<device::Timing>& samples);

/// Whether a sample was taken at a lowered clock: under 0.75 of the highest, as nvbench has it. Not where
/// either is unknown.
bool is_throttled(const device::Timing& sample, double max_sm_clock_mhz);

/// Whether a time is too short to mean the kernels alone. Between kernels that follow each other the GPU
/// idles for about a microsecond, and around a single run, which has two events beside it, for several: a
/// time is taken as the kernels' own from where such a gap is less than about a fifth of it, 5 µs a kernel in
/// a batch and 20 µs else.
bool includes_launch_latency(double time_ns, int kernels, int launches_per_sample);

/// Median, its interval and the rest, from at least one sample in the order taken; each is of
/// `launches_per_sample` runs.
model::Measurement summarise(const std::vector<device::Timing>& samples, int launches_per_sample,
                             int kernels);

/// What measuring energy asks of its surroundings.
struct EnergyCounter {
  /// What the device has taken since some moment in the past, in J; nothing: it does not tell. A counter
  /// that changes only now and then will do.
  std::function<std::optional<double>()> joules;
  std::function<double()> now_ns;        ///< of a monotonic clock
  std::function<void(double ns)> pause;  ///< the device waits as long
};

/// A sequence that is run for its energy.
struct EnergyLoad {
  int executions = 1;                      ///< of one launch …
  std::function<device::Timing()> launch;  ///< … which lasts some milliseconds, or one execution
};

/// A sequence whose one execution takes `time_ns`, launched as the policy has it; `before_each` is called
/// before each launch. The reference must outlive what is returned.
EnergyLoad energy_load(device::Sequence& sequence, const model::MeasurePolicy& policy, double time_ns,
                       std::function<void()> before_each);

/// What one run of a load gave, of one execution.
struct EnergyRun {
  double joules = 0;
  double ns = 0;
  double clock_mhz = 0;
};

/// Measures from one change of the counter to another: between changes it says nothing of when. So a run
/// lasts at least `least_ns`, and its error is a launch's length at each end. What the device takes between
/// launches, while it waits for the host, is taken as idling and not as the load's.
class EnergyMeter {
 public:
  static constexpr double least_ns = 400e6;
  /// How long a counter may stay as it is before it counts as one that does not tell.
  static constexpr double patience_ns = 2e9;
  static constexpr int runs = 5;  ///< of each finalist
  /// Of each, where all of them take longer than `long_ns` together.
  static constexpr int fewest_runs = 3;
  static constexpr double long_ns = 60e9;

  explicit EnergyMeter(EnergyCounter counter) : m_counter(std::move(counter)) {}

  /// What the device takes while it waits, in W; 0: it does not tell. Measured once, when first asked for.
  double idle_w();
  /// One run. What `load` throws passes through. Nothing where the counter does not tell.
  std::optional<model::Energy> once(const EnergyLoad& load);
  /// Runs of all loads in turn, each round in another order. `begin` is told whose turn it
  /// is. A load whose energy the counter does not tell has none.
  std::vector<std::optional<model::Energy>> in_turn(const std::vector<EnergyLoad>& loads,
                                                    const std::function<void(std::size_t)>& begin);

 private:
  struct Amounts {
    double joules = 0;
    double ns = 0;
  };
  /// As the counter and the clock stand once the counter has changed, calling `work` until then.
  std::optional<Amounts> await_change(const std::function<void()>& work);
  /// From one change of the counter to another that is at least `least_ns` later, calling `work` meanwhile;
  /// `begun` is called at the first of them.
  std::optional<Amounts> between_changes(double least, const std::function<void()>& work,
                                         const std::function<void()>& begun);
  std::optional<EnergyRun> run(const EnergyLoad& load, double idle);

  EnergyCounter m_counter;
  std::optional<double> m_idle_w;
};

/// The mean of at least one run, with its interval.
model::Energy summarise(const std::vector<EnergyRun>& runs, double idle_w);

}  // namespace tuner::measure
