
#include <algorithm>
#include <numeric>
#include <utility>

#include "tuner/measure/sampler.hpp"
#include "tuner/measure/statistics.hpp"

namespace tuner::measure {

EnergyLoad energy_load(device::Sequence& sequence, const model::MeasurePolicy& policy, double time_ns,
                       std::function<void()> before_each) {
  // The counter changes unseen during a launch; after each the device waits.
  constexpr double launch_ns = 2e6;
  model::MeasurePolicy batches = policy;
  batches.batch_below_ns = batches.batch_ns = launch_ns;
  const int batch = choose_batch(sequence, batches, time_ns);
  const auto launch = [&sequence, batch, execution = policy.execution, before_each = std::move(before_each)] {
    before_each();
    return sequence.run(batch, execution);
  };
  return {batch, launch};
}

std::optional<EnergyMeter::Amounts> EnergyMeter::await_change(const std::function<void()>& work) {
  const std::optional<double> before = m_counter.joules();
  const double began_ns = m_counter.now_ns();
  for (;;) {
    work();
    const std::optional<double> now = m_counter.joules();
    const double now_ns = m_counter.now_ns();
    if (!before || !now || *now < *before) return std::nullopt;  // it does not tell, or began anew
    if (*now != *before) return Amounts{*now, now_ns};
    if (now_ns - began_ns > patience_ns) return std::nullopt;
  }
}

std::optional<EnergyMeter::Amounts> EnergyMeter::between_changes(double least,
                                                                 const std::function<void()>& work,
                                                                 const std::function<void()>& begun) {
  const auto first = await_change(work);
  if (!first) return std::nullopt;
  begun();
  while (m_counter.now_ns() - first->ns < least) work();  // unasked: an answer takes a millisecond
  const auto last = await_change(work);
  if (!last) return std::nullopt;
  return Amounts{last->joules - first->joules, last->ns - first->ns};
}

double EnergyMeter::idle_w() {
  constexpr double settling_ns = 300e6;
  constexpr double step_ns = 5e6;
  constexpr double idle_ns = 500e6;
  if (m_idle_w) return *m_idle_w;
  const auto wait = [&] { m_counter.pause(step_ns); };
  for (const double end_ns = m_counter.now_ns() + settling_ns; m_counter.now_ns() < end_ns;) wait();
  const auto span = between_changes(idle_ns, wait, [] {});
  m_idle_w = span ? span->joules / (span->ns * 1e-9) : 0;
  return *m_idle_w;
}

std::optional<EnergyRun> EnergyMeter::run(const EnergyLoad& load, double idle) {
  double executions = 0;
  EnergyRun sum;
  const auto work = [&] {
    const device::Timing timing = load.launch();
    executions += load.executions;
    sum.ns += timing.ns;
    sum.clock_mhz += timing.sm_clock_mhz * load.executions;
  };
  const auto begun = [&] {
    executions = 0;
    sum = {};
  };
  const auto span = between_changes(least_ns, work, begun);
  if (!span) return std::nullopt;
  const double waited_s = std::max(span->ns - sum.ns, 0.0) * 1e-9;
  return EnergyRun{(span->joules - waited_s * idle) / executions, sum.ns / executions,
                   sum.clock_mhz / executions};
}

std::optional<model::Energy> EnergyMeter::once(const EnergyLoad& load) {
  const double idle = idle_w();
  if (idle <= 0) return std::nullopt;
  const auto measured = run(load, idle);
  return measured ? std::optional(summarise({*measured}, idle)) : std::nullopt;
}

std::vector<std::optional<model::Energy>> EnergyMeter::in_turn(
    const std::vector<EnergyLoad>& loads, const std::function<void(std::size_t)>& begin) {
  std::vector<std::optional<model::Energy>> out(loads.size());
  const double idle = idle_w();
  if (idle <= 0) return out;
  std::vector<std::vector<EnergyRun>> measured(loads.size());
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double began_ns = m_counter.now_ns();
  for (int round = 0; round < runs; ++round) {
    if (round >= fewest_runs && m_counter.now_ns() - began_ns > long_ns) break;
    for (const std::size_t i : order) {
      begin(i);
      if (const auto one = run(loads[i], idle)) measured[i].push_back(*one);
    }
    // The first comes last, and each has another before it.
    std::ranges::reverse(order);
    std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2));
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (measured[i].size() < static_cast<std::size_t>(fewest_runs)) continue;
    const model::Energy energy = summarise(measured[i], idle);
    if (energy.mean_j > 0) out[i] = energy;  // less than the waiting device drew: nothing was measured
  }
  return out;
}

model::Energy summarise(const std::vector<EnergyRun>& runs, double idle_w) {
  model::Energy out;
  const auto count = static_cast<double>(runs.size());
  std::vector<double> joules;
  for (const EnergyRun& run : runs) {
    joules.push_back(run.joules);
    out.mean_ns += run.ns / count;
    out.clock_mhz += run.clock_mhz / count;
  }
  out.mean_j = std::accumulate(joules.begin(), joules.end(), 0.0) / count;
  if (runs.size() > 1) {
    const Interval interval = mean_interval(joules);
    out.low_j = interval.low;
    out.high_j = interval.high;
  }
  out.idle_w = idle_w;
  out.runs = static_cast<int>(runs.size());
  return out;
}

}  // namespace tuner::measure
