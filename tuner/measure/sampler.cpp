#include "tuner/measure/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/measure/statistics.hpp"

namespace tuner::measure {
namespace {

constexpr int probe_launches = 8;  ///< enough that the gap around them does not hide a short kernel's time
constexpr int longest_batch =
    1000;  ///< launches; a batch is one graph, whose making takes about a microsecond each

double fastest(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

}  // namespace

bool includes_launch_latency(double time_ns, int kernels, int launches_per_sample) {
  const double least_ns = launches_per_sample > 1 ? 5'000 : 20'000;
  return time_ns < least_ns * std::max(kernels, 1);
}

model::Measurement summarise(std::vector<double> samples_ns, int launches_per_sample, int kernels) {
  model::Measurement out;
  out.median_ns = median(samples_ns);
  const Interval interval = median_interval(samples_ns);
  out.low_ns = interval.low;
  out.high_ns = interval.high;
  out.min_ns = fastest(samples_ns);
  out.launches_per_sample = launches_per_sample;
  out.includes_launch_latency = includes_launch_latency(out.median_ns, kernels, launches_per_sample);
  out.samples_ns = std::move(samples_ns);
  return out;
}

Sampler::Sampler(device::Device& device, device::Sequence& sequence, SamplingTask task)
    : m_device(device), m_sequence(sequence), m_task(std::move(task)) {}

int Sampler::choose_batch() {
  const model::MeasurePolicy& policy = m_task.policy;
  if (policy.flush_l2 || fastest(m_task.warm_runs) >= policy.batch_below_ns) return 1;
  const double time = m_sequence.run(probe_launches) / probe_launches;
  if (time >= policy.batch_below_ns) return 1;
  const double wanted = std::ceil(policy.batch_ns / std::max(time, 1.0));
  return static_cast<int>(std::clamp<double>(wanted, 2, longest_batch));
}

double Sampler::sample(int batch) {
  if (m_task.policy.flush_l2) m_device.flush_l2();
  return m_sequence.run(batch) / batch;
}

bool Sampler::clearly_slower(const std::vector<double>& times) const {
  const model::MeasurePolicy& policy = m_task.policy;
  const bool judged = static_cast<int>(times.size()) == std::max(policy.least_samples, 1);
  return judged && policy.drop_factor > 0 && m_task.best_ns > 0 &&
         fastest(times) > m_task.best_ns * policy.drop_factor;
}

Samples Sampler::run() {
  const model::MeasurePolicy& policy = m_task.policy;
  const int batch = choose_batch();
  std::vector<double>
      early;  // what least_samples counts: warm runs that were taken as samples are, then samples
  if (batch == 1 && !policy.flush_l2) early = m_task.warm_runs;
  if (clearly_slower(early)) return {summarise(std::move(early), batch, m_task.kernels), true};
  if (batch > 1) static_cast<void>(m_sequence.run(batch));

  std::vector<double> samples;
  double spent_ns = 0;
  while (static_cast<int>(samples.size()) < std::max(policy.samples, 1) && spent_ns < policy.time_limit_ns) {
    samples.push_back(sample(batch));
    early.push_back(samples.back());
    spent_ns += samples.back() * batch;
    if (clearly_slower(early)) return {summarise(std::move(early), batch, m_task.kernels), true};
  }
  return {summarise(std::move(samples), batch, m_task.kernels), false};
}

}  // namespace tuner::measure
