#include "tuner/measure/sampler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "tuner/model/error.hpp"

namespace tuner::measure {
namespace {

struct Named {
  std::string_view name;
  model::MeasurePolicy policy;
};

const std::array<Named, 5>& policies() {
  static const std::array<Named, 5> all = {{
      {"quick",
       {.name = "quick-3",
        .samples = 6,  // the fewest that give a 95 % interval
        .final = {.finalists = 6, .choosing_rounds = 12, .confirming_rounds = 8},
        .batch_ns = 200'000,
        .time_limit_ns = 2e7}},
      {"standard", {}},
      {"thorough",
       {.name = "thorough-2",
        .samples = 60,
        .cuts = {{1, 5}, {5, 2}},
        .final = {.choosing_rounds = 100, .confirming_rounds = 60, .time_limit_ns = 2e10},
        .batch_ns = 1'000'000,
        .time_limit_ns = 1e10}},
      // For tables that show slow versions beside fast ones: nothing is dropped, so each trial gets less
      // time.
      {"complete", {.name = "complete-2", .samples = 12, .cuts = {}, .final = {}, .time_limit_ns = 5e8}},
      // Every configuration alike and no final: what a sweep costs without racing, and what racing is held
      // against.
      {"exhaustive",
       {.name = "exhaustive-1", .samples = 100, .cuts = {}, .final = {.finalists = 0}, .time_limit_ns = 2e9}},
  }};
  return all;
}

}  // namespace

model::MeasurePolicy policy(std::string_view name, bool flush_l2, model::Execution execution) {
  for (const Named& candidate : policies()) {
    if (candidate.name != name) continue;
    model::MeasurePolicy policy = candidate.policy;
    policy.flush_l2 = flush_l2;
    policy.execution = execution;
    return policy;
  }
  throw model::UsageError(fmt::format("there is no measuring policy '{}'", name),
                          fmt::format("use one of: {}", fmt::join(policy_names(), ", ")));
}

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> out;
  for (const Named& candidate : policies()) out.push_back(candidate.name);
  return out;
}

namespace {

/// Between two processes on one idle GPU, where too few problems tell: the scatter of 29 sizes on an H200 was
/// 0.07 to 0.15 % in standard deviations.
constexpr double usual_scatter = 0.0012;
constexpr double least_scatter = 0.0007;
/// Of fewer ratios the median deviation says little.
constexpr std::size_t telling_problems = 8;
/// Turns the median absolute deviation of a normal distribution into its standard deviation.
constexpr double mad_scale = 1.4826;
constexpr double false_alarms = 0.01;

/// Of fewer samples the spacing of the fastest says nothing.
constexpr std::size_t telling_samples = 3;

struct Floor {
  double log_fastest = 0;
  double spacing = 0;  ///< of the logarithms of the two fastest
};

/// Of at least two samples.
Floor floor_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::partial_sort(sorted.begin(), sorted.begin() + 2, sorted.end());
  return {std::log(sorted[0]), std::log(sorted[1] / sorted[0])};
}

bool has_few(const TwoOccasions& problem) {
  return std::min(problem.a.size(), problem.b.size()) < telling_samples;
}

double scatter_of(const std::vector<double>& log_ratios) {
  if (log_ratios.size() < telling_problems) return usual_scatter;
  // A median deviation of n ratios is itself uncertain by about 1.2 / sqrt(n) of it.
  const double doubt = 1 + 1.2 / std::sqrt(static_cast<double>(log_ratios.size()));
  return std::max(least_scatter, mad_scale * median_deviation(log_ratios) * doubt);
}

}  // namespace

std::string_view to_string(Allowed allowed) {
  constexpr std::array<std::string_view, 3> words = {"allowed", "too slow", "undecided"};
  return words.at(static_cast<std::size_t>(allowed));
}

Slowdown slowdown_of(const Ratio& ratio, double limit) {
  return {ratio, ratio.low > 1 + limit     ? Allowed::no
                 : ratio.high <= 1 + limit ? Allowed::yes
                                           : Allowed::undecided};
}

std::vector<Slowdown> slowdowns(const std::vector<TwoOccasions>& problems, double limit) {
  std::vector<double> log_ratios;
  std::vector<double> own;
  for (const TwoOccasions& problem : problems) {
    if (has_few(problem)) continue;
    const Floor a = floor_of(problem.a);
    const Floor b = floor_of(problem.b);
    log_ratios.push_back(a.log_fastest - b.log_fastest);
    own.push_back(std::hypot(a.spacing, b.spacing) / 2);
  }
  const double scatter = scatter_of(log_ratios);
  std::vector<Slowdown> out;
  std::size_t next = 0;
  for (const TwoOccasions& problem : problems) {
    Ratio ratio;
    if (has_few(problem)) {
      ratio = unpaired_ratio(problem.a, problem.b, 0);
    } else {
      const double deviate = -normal_quantile(false_alarms / static_cast<double>(problems.size()));
      const double margin = deviate * std::hypot(scatter, own[next]);
      const double log_ratio = log_ratios[next++];
      ratio = {std::exp(log_ratio), std::exp(log_ratio - margin), std::exp(log_ratio + margin)};
    }
    out.push_back(slowdown_of(ratio, limit));
  }
  return out;
}

namespace {

using device::Timing;

constexpr int probe_launches = 8;  ///< enough that the gap around them does not hide a short kernel's time
constexpr int longest_batch =
    1000;  ///< launches; a batch is one graph, whose making takes about a microsecond each
constexpr int longest_in_stream = 256;  ///< more would not all be queued when the first starts
constexpr double throttled_share = 0.75;
/// Of a trial that is not dropped, even beyond the policy's time, unless they take longer than this: the
/// fewest that give a median a 95 % interval.
constexpr std::size_t least_samples = 6;
constexpr double longest_ns = 2e9;

double fastest_ns(const std::vector<Timing>& samples) {
  const auto faster = [](const Timing& a, const Timing& b) { return a.ns < b.ns; };
  return std::min_element(samples.begin(), samples.end(), faster)->ns;
}

}  // namespace

double median_clock_mhz(const std::vector<Timing>& samples) {
  std::vector<double> known;
  for (const Timing& sample : samples) {
    if (sample.sm_clock_mhz > 0) known.push_back(sample.sm_clock_mhz);
  }
  return known.empty() ? 0 : median(known);
}

int count_kernels(const std::vector<model::Step>& steps) {
  const std::vector<std::size_t> order = model::launch_order(steps);
  return static_cast<int>(std::count_if(order.begin(), order.end(), [&](std::size_t step) {
    return steps[step].kind == model::Step::Kind::launch || steps[step].kind == model::Step::Kind::call;
  }));
}

int choose_batch(device::Sequence& sequence, const model::MeasurePolicy& policy, double single_ns) {
  const bool in_stream = policy.execution == model::Execution::stream;
  const bool never = policy.flush_l2 || policy.batch_below_ns <= 0;
  const double below_ns =
      in_stream ? std::max(policy.batch_below_ns, policy.batch_ns) : policy.batch_below_ns;
  if (never || single_ns >= below_ns) return 1;
  const double time = sequence.run(probe_launches, policy.execution).ns / probe_launches;
  if (time >= below_ns) return 1;
  const double wanted = std::ceil(policy.batch_ns / std::max(time, 1.0));
  return static_cast<int>(std::clamp<double>(wanted, 2, in_stream ? longest_in_stream : longest_batch));
}

Timing take_sample(device::Device& device, device::Sequence& sequence, const model::MeasurePolicy& policy,
                   int batch) {
  if (policy.flush_l2) device.flush_l2();
  return sequence.run(batch, policy.execution);
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
  if (batch == 1 && !policy.flush_l2 && policy.execution != model::Execution::eager) {
    std::copy_if(m_task.warm_runs.begin(), m_task.warm_runs.end(), std::back_inserter(early),
                 [&](const Timing& run) { return !is_throttled(run, m_task.max_sm_clock_mhz); });
  }
  if (clearly_slower(early, batch)) return dropped(early, batch, 0);
  if (batch > 1) static_cast<void>(m_sequence.run(batch, policy.execution));

  const auto wanted = static_cast<std::size_t>(std::max(policy.samples, 1));
  std::vector<Timing> kept;
  std::vector<Timing> throttled;
  const auto least = std::min(wanted, least_samples);
  for (double spent_ns = 0;
       kept.size() < wanted && throttled.size() < wanted &&
       (spent_ns < policy.time_limit_ns || (kept.size() < least && spent_ns < longest_ns));) {
    if (m_task.begin_sample) m_task.begin_sample();
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
