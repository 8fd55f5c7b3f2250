#include "tuner/measure/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tuner/measure/statistics.hpp"

namespace tuner::measure {
namespace {

using device::Timing;

constexpr int probe_launches = 8;  ///< enough that the gap around them does not hide a short kernel's time
constexpr int longest_batch =
    1000;  ///< launches; a batch is one graph, whose making takes about a microsecond each
constexpr double throttled_share = 0.75;
/// Of a trial that is not dropped, even beyond the policy's time, unless they take longer than this: the
/// fewest that give a median a 95 % interval.
constexpr std::size_t least_samples = 6;
constexpr double longest_ns = 2e9;

double fastest_ns(const std::vector<Timing>& samples) {
  const auto faster = [](const Timing& a, const Timing& b) { return a.ns < b.ns; };
  return std::min_element(samples.begin(), samples.end(), faster)->ns;
}

/// Over the samples whose clock is known; 0 where none is.
double median_clock_mhz(const std::vector<Timing>& samples) {
  std::vector<double> known;
  for (const Timing& sample : samples) {
    if (sample.sm_clock_mhz > 0) known.push_back(sample.sm_clock_mhz);
  }
  return known.empty() ? 0 : median(known);
}

}  // namespace

int count_kernels(const std::vector<model::Step>& steps) {
  const std::vector<std::size_t> order = model::launch_order(steps);
  return static_cast<int>(std::count_if(order.begin(), order.end(), [&](std::size_t step) {
    return steps[step].kind == model::Step::Kind::launch || steps[step].kind == model::Step::Kind::call;
  }));
}

int choose_batch(device::Sequence& sequence, const model::MeasurePolicy& policy, double single_ns) {
  if (policy.flush_l2 || single_ns >= policy.batch_below_ns) return 1;
  const double time = sequence.run(probe_launches).ns / probe_launches;
  if (time >= policy.batch_below_ns) return 1;
  const double wanted = std::ceil(policy.batch_ns / std::max(time, 1.0));
  return static_cast<int>(std::clamp<double>(wanted, 2, longest_batch));
}

Timing take_sample(device::Device& device, device::Sequence& sequence, const model::MeasurePolicy& policy,
                   int batch) {
  if (policy.flush_l2) device.flush_l2();
  return sequence.run(batch);
}

bool is_throttled(const Timing& sample, double max_sm_clock_mhz) {
  return sample.sm_clock_mhz > 0 && sample.sm_clock_mhz < throttled_share * max_sm_clock_mhz;
}

bool includes_launch_latency(double time_ns, int kernels, int launches_per_sample) {
  const double least_ns = launches_per_sample > 1 ? 5'000 : 20'000;
  return time_ns < least_ns * std::max(kernels, 1);
}

model::Measurement summarise(const std::vector<Timing>& samples, int launches_per_sample, int kernels) {
  model::Measurement out;
  for (const Timing& sample : samples) out.samples_ns.push_back(sample.ns / launches_per_sample);
  out.median_ns = median(out.samples_ns);
  const Interval interval = median_interval(out.samples_ns);
  out.low_ns = interval.low;
  out.high_ns = interval.high;
  out.min_ns = fastest_ns(samples) / launches_per_sample;
  out.sm_clock_mhz = median_clock_mhz(samples);
  out.launches_per_sample = launches_per_sample;
  out.includes_launch_latency = includes_launch_latency(out.median_ns, kernels, launches_per_sample);
  return out;
}

Sampler::Sampler(device::Device& device, device::Sequence& sequence, SamplingTask task)
    : m_device(device), m_sequence(sequence), m_task(std::move(task)) {}

bool Sampler::clearly_slower(const std::vector<Timing>& samples, int batch) const {
  if (samples.empty() || m_task.best_ns <= 0) return false;
  const double slowdown = fastest_ns(samples) / batch / m_task.best_ns;
  const auto& cuts = m_task.policy.cuts;
  return std::any_of(cuts.begin(), cuts.end(), [&](const model::Cut& cut) {
    return static_cast<int>(samples.size()) >= cut.samples && slowdown > cut.factor;
  });
}

Samples Sampler::dropped(const std::vector<Timing>& samples, int batch, int throttled) const {
  Samples out{summarise(samples, batch, m_task.kernels), true};
  out.measurement.throttled_samples = throttled;
  return out;
}

Samples Sampler::run() {
  const model::MeasurePolicy& policy = m_task.policy;
  const int batch = choose_batch(m_sequence, policy, fastest_ns(m_task.warm_runs));
  std::vector<Timing> early;  // what cuts count: warm runs that were taken as samples are, then samples
  if (batch == 1 && !policy.flush_l2) {
    std::copy_if(m_task.warm_runs.begin(), m_task.warm_runs.end(), std::back_inserter(early),
                 [&](const Timing& run) { return !is_throttled(run, m_task.max_sm_clock_mhz); });
  }
  if (clearly_slower(early, batch)) return dropped(early, batch, 0);
  if (batch > 1) static_cast<void>(m_sequence.run(batch));

  const auto wanted = static_cast<std::size_t>(std::max(policy.samples, 1));
  std::vector<Timing> kept;
  std::vector<Timing> throttled;
  const auto least = std::min(wanted, least_samples);
  for (double spent_ns = 0;
       kept.size() < wanted && throttled.size() < wanted &&
       (spent_ns < policy.time_limit_ns || (kept.size() < least && spent_ns < longest_ns));) {
    const Timing sample = take_sample(m_device, m_sequence, policy, batch);
    spent_ns += sample.ns;
    const bool good = !is_throttled(sample, m_task.max_sm_clock_mhz);
    (good ? kept : throttled).push_back(sample);
    if (good) early.push_back(sample);
    if (clearly_slower(early, batch)) return dropped(early, batch, static_cast<int>(throttled.size()));
  }
  Samples out{summarise(kept.empty() ? throttled : kept, batch, m_task.kernels), false};
  out.measurement.throttled_samples = static_cast<int>(throttled.size());
  return out;
}

}  // namespace tuner::measure
