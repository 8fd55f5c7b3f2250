#include "tuner/cli/terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tuner::cli::terminal {
namespace {

constexpr std::size_t window = 200;
constexpr std::size_t least = 5;
constexpr double outlier_factor = 10;

std::string metric_text(const model::TrialRecord& trial, const std::string& metric) {
  const auto found = trial.metrics.find(metric);
  if (found != trial.metrics.end()) {
    // Four digits, and never an exponent where a number has more before its point.
    const double value = found->second;
    return value >= 1000 ? fmt::format("{:.0f} {}", value, metric) : fmt::format("{:.4g} {}", value, metric);
  }
  const double ns = trial.outcome.measurement->median_ns;
  if (ns >= 1e6) return fmt::format("{:.4g} ms", ns * 1e-6);
  return fmt::format("{:.4g} µs", ns * 1e-3);
}

}  // namespace

void RateEstimate::add(double seconds) {
  m_intervals.push_back(std::max(0.0, seconds));
  if (m_intervals.size() > window) m_intervals.pop_front();
}

std::optional<double> RateEstimate::seconds_each() const {
  if (m_intervals.size() < least) return std::nullopt;
  std::vector<double> sorted(m_intervals.begin(), m_intervals.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  // Results that arrive in bursts have a median of zero; then nothing is an outlier.
  const double limit = *middle > 0 ? outlier_factor * *middle : HUGE_VAL;
  double sum = 0;
  for (const double interval : sorted) sum += std::min(interval, limit);
  return sum / static_cast<double>(sorted.size());
}

Progress::Progress(std::int64_t total, Clock clock, std::string metric)
    : m_total(total),
      m_clock(std::move(clock)),
      m_metric(std::move(metric)),
      m_started(m_clock()),
      m_last(m_started) {}

void Progress::finished(const model::TrialRecord& trial, bool may_be_best) {
  const double now = m_clock();
  m_rate.add(now - m_last);
  m_last = now;
  ++m_done;
  if (model::is_failure(trial.outcome.status)) ++m_failed;
  if (may_be_best) known_best(trial);
}

void Progress::known_best(const model::TrialRecord& trial) {
  auto found = std::ranges::find(m_best, trial.problem, &Best::problem);
  // A ceiling's kernel has a best one too, which is what its device can do and no answer.
  const bool counts = trial.role == model::Role::competitor &&
                      model::has_trusted_time(trial.outcome.status) && trial.outcome.measurement.has_value();
  if (counts && (found == m_best.end() || trial.outcome.measurement->median_ns < found->median_ns)) {
    const Best best{
        trial.problem, trial.outcome.measurement->median_ns,
        fmt::format("best {}: {} {}{}", trial.problem.size_text(), trial.kernel, metric_text(trial, m_metric),
                    trial.outcome.verification.checked ? "" : " unverified")};
    found = found == m_best.end() ? m_best.insert(m_best.begin(), best) : (*found = best, found);
  }
  if (found != m_best.end()) std::rotate(m_best.begin(), found, found + 1);
}

void Progress::already_known(std::int64_t trials) {
  m_done += trials;
  m_known += trials;
}

void Progress::begin() {
  m_started = m_last = m_clock();
}

void Progress::end_after(std::optional<double> seconds, std::optional<std::int64_t> trials) {
  m_time_limit = seconds;
  m_trial_limit = trials;
}

std::int64_t Progress::to_come() const {
  const std::int64_t left = std::max<std::int64_t>(0, m_total - m_done);
  if (!m_trial_limit) return left;
  return std::min(left, std::max<std::int64_t>(0, *m_trial_limit - (m_done - m_known)));
}

double Progress::fraction() const {
  if (m_total <= 0) return 1;
  const double by_trials = std::min(1.0, static_cast<double>(m_done) / static_cast<double>(m_total));
  if (!m_may_end_early || m_sizes == 0) return by_trials;
  return std::max(by_trials, static_cast<double>(m_sizes_ended) / static_cast<double>(m_sizes));
}

void Progress::size_ended() {
  m_sizes_ended = std::min(m_sizes, m_sizes_ended + 1);
  m_size_ended_at = m_clock();
}

std::optional<double> Progress::seconds_by_sizes() const {
  if (m_sizes_ended == 0) return std::nullopt;
  const double each = (m_size_ended_at - m_started) / static_cast<double>(m_sizes_ended);
  const double left = each * static_cast<double>(m_sizes - m_sizes_ended);
  // Of the size in hand no more is over than it was expected to take.
  return std::max(0.0, left - std::min(each, m_clock() - m_size_ended_at));
}

std::optional<double> Progress::seconds_left() const {
  const std::optional<double> each = m_rate.seconds_each() ? m_rate.seconds_each() : m_expected_each;
  std::optional<double> left;
  // What the trial in hand has already taken is not still to come.
  if (each)
    left = std::max(0.0, static_cast<double>(to_come()) * *each - std::min(*each, m_clock() - m_last));
  if (const auto by_sizes = seconds_by_sizes(); m_may_end_early && by_sizes)
    left = left ? std::min(*left, *by_sizes) : *by_sizes;
  if (!m_time_limit) return left;
  const double most = std::max(0.0, *m_time_limit - (m_clock() - m_started));
  return left ? std::min(*left, most) : most;
}

std::string Progress::time_text() const {
  const std::optional<double> left = seconds_left();
  if (!left || m_done >= m_total) return "";
  const char* how = "";
  if (m_may_end_early)
    how = m_sizes_ended > 0 ? "about " : "at most ";
  else if (m_time_limit && !m_rate.seconds_each() && !m_expected_each)
    how = "at most ";
  return fmt::format(" · {}{} left", how, duration_text(*left));
}

std::string Progress::line(const std::string& now) const {
  std::string out = m_may_end_early
                        ? fmt::format("{} of at most {}", m_done, m_total)
                        : fmt::format("{}/{} ({:.0f} %)", m_done, m_total, std::floor(100 * fraction()));
  if (m_sizes > 1) out += fmt::format(" · size {} of {}", std::min(m_sizes, m_sizes_ended + 1), m_sizes);
  out += time_text();
  if (m_failed > 0) out += fmt::format(" · {} failed", m_failed);
  if (!now.empty())
    out += " · " + now;
  else if (!m_best.empty())
    out += " · " + m_best.front().text;
  return out;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  // Nobody needs the last second of a minute, nor can the rate promise it.
  if (whole < 595) return fmt::format("{} min {:02} s", (whole + 2) / 5 * 5 / 60, (whole + 2) / 5 * 5 % 60);
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 24 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const std::int64_t hours = (minutes + 30) / 60;
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

}  // namespace tuner::cli::terminal
