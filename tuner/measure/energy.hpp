#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

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
