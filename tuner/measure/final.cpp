#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "tuner/measure/runner.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/measure/statistics.hpp"

namespace tuner::measure {
namespace {

constexpr double doubt = 0.05;
constexpr double indifference = 0.001;  ///< of a ratio; smaller differences are none
constexpr double standard_errors_to_leave = 6;
constexpr int first_look = 10;  ///< in rounds: with fewer a standard error is itself too uncertain
constexpr int rounds_between_looks = 5;
constexpr int least_confirming_rounds = 6;
constexpr double same_clock = 0.97;  ///< of the choosing rounds'

/// log(a[i] / b[i]) over the rounds that both took part in.
std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::log(a[i] / b[i]);
  return out;
}

}  // namespace

Final::Final(FinalTask task)
    : m_task(std::move(task)),
      m_random(m_task.seed),
      m_left(m_task.finalists.size()),
      m_choosing(m_left.size()),
      m_confirming(m_left.size()),
      m_throttled(m_left.size()) {
  std::iota(m_left.begin(), m_left.end(), std::size_t{0});
}

model::FinalOutcome Final::run() {
  choose();
  confirm();
  model::FinalOutcome out;
  out.fastest = m_winner;
  out.standings = standings(m_winner);
  std::size_t challenger = m_winner;
  for (const std::size_t i : m_left) {
    if (may_win(i) && out.standings[i].ratio_high < out.standings[challenger].ratio_high) challenger = i;
  }
  if (out.standings[challenger].ratio_high < 1 - indifference) {
    out.fastest = challenger;
    out.standings = standings(challenger);
  }
  out.rounds = m_rounds;
  out.throttled_rounds = m_throttled_rounds;
  return out;
}

void Final::choose() {
  const model::FinalPolicy& policy = m_task.policy;
  for (int rounds = 0;
       rivals_left() > 1 && rounds < policy.choosing_rounds && m_spent_ns < policy.time_limit_ns;) {
    if (!take_round(m_choosing)) continue;
    ++rounds;
    const bool last = rounds == policy.choosing_rounds;
    if (rounds >= first_look && (last || rounds % rounds_between_looks == 0)) eliminate();
  }
  m_winner = fastest_left();
}

void Final::confirm() {
  const model::FinalPolicy& policy = m_task.policy;
  // A winner that runs alone needs fewer samples: there is nothing to tell it apart from.
  const bool alone = m_left.size() == 1;
  const int enough =
      alone ? std::max(policy.confirming_rounds / 2, least_confirming_rounds) : policy.confirming_rounds;
  const int wanted = std::clamp(enough, 1, std::max(policy.confirming_rounds, 1));
  const int least = alone ? 1 : least_confirming_rounds;
  m_spent_ns = 0;
  for (int rounds = 0; rounds < wanted && (rounds < least || m_spent_ns < policy.time_limit_ns);) {
    if (take_round(m_confirming)) ++rounds;
  }
}

bool Final::is_slowed(const device::Timing& sample, std::size_t finalist,
                      const std::vector<Series>& into) const {
  if (is_throttled(sample, m_task.max_sm_clock_mhz)) return true;
  if (&into != &m_confirming || sample.sm_clock_mhz <= 0) return false;
  return sample.sm_clock_mhz < same_clock * median_clock_mhz(m_choosing[finalist]);
}

/// Whether the round is considered.
bool Final::take_round(std::vector<Series>& into) {
  if (m_task.begin_round) m_task.begin_round();
  shuffle();
  Series round;
  bool throttled = false;
  for (const std::size_t finalist : m_left) {
    round.push_back(m_task.sample(finalist));
    m_spent_ns += round.back().ns;
    if (!is_slowed(round.back(), finalist, into)) continue;
    ++m_throttled[finalist];
    throttled = true;
  }
  if (throttled && m_throttled_rounds < m_task.policy.confirming_rounds) {
    ++m_throttled_rounds;
    if (m_task.rest) m_task.rest();
    return false;
  }
  for (std::size_t i = 0; i < m_left.size(); ++i) into[m_left[i]].push_back(round[i]);
  ++m_rounds;
  return true;
}

/// Fisher and Yates; std::shuffle gives another order with each library.
void Final::shuffle() {
  for (std::size_t i = m_left.size(); i > 1; --i) std::swap(m_left[i - 1], m_left[m_random() % i]);
}

void Final::eliminate() {
  const std::size_t fastest = fastest_left();
  const std::vector<double> best = times(m_choosing[fastest], fastest);
  std::erase_if(m_left, [&](std::size_t finalist) {
    if (finalist == fastest || !may_win(finalist)) return false;
    const TrimmedMean slower = trimmed_mean(log_ratios(times(m_choosing[finalist], finalist), best));
    return slower.mean - standard_errors_to_leave * slower.standard_error > indifference;
  });
}

/// By the trimmed mean of times relative to the round's level, the median of those that are left: an outlier
/// or a drift of the level would look like a difference.
std::size_t Final::fastest_left() const {
  std::vector<std::vector<double>> relative(m_left.size());
  const std::size_t rounds = m_choosing[m_left.front()].size();
  if (rounds == 0) {
    std::vector<std::size_t> rivals;
    std::copy_if(m_left.begin(), m_left.end(), std::back_inserter(rivals),
                 [&](std::size_t finalist) { return may_win(finalist); });
    return *std::min_element(rivals.begin(), rivals.end());
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<double> logs;
    for (const std::size_t finalist : m_left) {
      const int launches = m_task.finalists[finalist].launches_per_sample;
      logs.push_back(std::log(m_choosing[finalist][round].ns / launches));
    }
    const double level = median(logs);
    for (std::size_t i = 0; i < logs.size(); ++i) relative[i].push_back(logs[i] - level);
  }
  std::optional<std::size_t> fastest;
  double least = 0;
  for (std::size_t i = 0; i < m_left.size(); ++i) {
    const double mean = trimmed_mean(relative[i]).mean;
    if (!may_win(m_left[i]) || (fastest && mean >= least)) continue;
    fastest = m_left[i];
    least = mean;
  }
  return *fastest;
}

/// Per launch sequence.
std::vector<double> Final::times(const Series& series, std::size_t finalist) const {
  std::vector<double> out;
  out.reserve(series.size());
  const int launches = m_task.finalists[finalist].launches_per_sample;
  for (const device::Timing& sample : series) out.push_back(sample.ns / launches);
  return out;
}

bool Final::is_left(std::size_t finalist) const {
  return std::find(m_left.begin(), m_left.end(), finalist) != m_left.end();
}

std::size_t Final::rivals_left() const {
  return static_cast<std::size_t>(
      std::count_if(m_left.begin(), m_left.end(), [&](std::size_t finalist) { return may_win(finalist); }));
}

std::vector<model::Standing> Final::standings(std::size_t fastest) const {
  std::vector<model::Standing> out;
  for (std::size_t i = 0; i < m_task.finalists.size(); ++i) out.push_back(standing(i, fastest));
  return out;
}

model::Standing Final::standing(std::size_t finalist, std::size_t fastest) const {
  const std::vector<Series>& part = is_left(finalist) ? m_confirming : m_choosing;
  const FinalTask::Finalist& how = m_task.finalists[finalist];
  model::Standing out;
  out.measurement = summarise(part[finalist], how.launches_per_sample, how.kernels);
  out.measurement.throttled_samples = m_throttled[finalist];
  out.tied = finalist == fastest;
  if (out.tied) return out;
  std::vector<double> mine = times(part[finalist], finalist);
  std::vector<double> best = times(part[fastest], fastest);
  best.resize(mine.size());  // of who left, only the rounds both took part in
  const auto comparisons = static_cast<double>(std::max<std::size_t>(m_left.size(), 2) - 1);
  const Ratio ratio = paired_ratio(mine, best, 1 - doubt / comparisons, m_task.seed);
  out.ratio = ratio.ratio;
  out.ratio_low = ratio.low;
  out.ratio_high = ratio.high;
  out.tied = may_win(finalist) && ratio.low <= 1 + indifference;
  return out;
}

}  // namespace tuner::measure
