#include "tuner/cli/terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/util/text.hpp"

namespace tuner::cli::terminal {
namespace {

constexpr std::size_t window = 200;
constexpr std::size_t least = 5;
constexpr double outlier_factor = 10;

/// A part of the line. Where there is no room for all, what has a number is left out, 1 before 2.
struct Piece {
  std::string text;
  int drop = 0;
  const char* joint = " · ";
};

std::string joined(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) out += (out.empty() ? "" : piece.joint) + piece.text;
  return out;
}

/// The piece that is left out first; the end where none may be.
std::vector<Piece>::iterator least_needed(std::vector<Piece>& pieces) {
  auto found = pieces.end();
  for (auto piece = pieces.begin(); piece != pieces.end(); ++piece)
    if (piece->drop > 0 && (found == pieces.end() || piece->drop < found->drop)) found = piece;
  return found;
}

/// A second's or a joule's units, each a thousandth of the one before.
using Units = std::array<const char*, 4>;

/// In the first unit that it is one of, as rounded.
std::string in_units(double value, const Units& units) {
  constexpr double shown_as_one = 0.99995;
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && value < shown_as_one; ++unit) value *= 1e3;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

/// What is compared, as people read it.
std::string value_text(model::Objective objective, const model::TrialOutcome& outcome) {
  const std::string time = in_units(outcome.measurement->median_ns * 1e-9, {"s", "ms", "µs", "ns"});
  if (objective == model::Objective::time) return time;
  const std::string energy = in_units(outcome.energy->mean_j, {"J", "mJ", "µJ", "nJ"});
  return objective == model::Objective::energy ? energy : fmt::format("{} × {}", energy, time);
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

std::string Progress::Best::library_text() const {
  if (value == 0 || library.empty()) return "";
  return fmt::format("{:.2f}× {}", library_value / value, library);
}

Progress::Progress(std::int64_t total, Clock clock)
    : m_total(total), m_clock(std::move(clock)), m_started(m_clock()), m_last(m_started) {}

void Progress::finished(const model::TrialRecord& trial, bool may_be_best) {
  const double now = m_clock();
  m_rate.add(now - m_last);
  m_last = now;
  ++m_done;
  m_now.clear();
  if (model::is_failure(trial.outcome.status)) ++m_failed;
  // A ceiling's kernel has a best one too, which is what its device can do and no answer.
  if (trial.role == model::Role::ceiling) return;
  bring_to_front(trial.problem);
  if (may_be_best) known_best(trial);
}

void Progress::known_best(const model::TrialRecord& trial) {
  const auto& [measurement, energy] = std::tie(trial.outcome.measurement, trial.outcome.energy);
  const bool is_known = model::has_trusted_time(trial.outcome.status) && measurement &&
                        (energy || m_objective == model::Objective::time);
  if (!is_known || trial.role == model::Role::ceiling) return;
  Best& best = bring_to_front(trial.problem);
  const double value =
      model::objective_value(m_objective, measurement->median_ns, energy ? energy->mean_j : 0);
  if (trial.role == model::Role::baseline) {
    if (best.library.empty() || value < best.library_value) {
      best.library = trial.kernel;
      best.library_value = value;
    }
  } else if (best.value == 0 || value < best.value) {
    best.kernel = trial.kernel;
    best.configuration = trial.configuration.assignments().empty() ? "" : trial.configuration.text();
    best.value = value;
    best.text = value_text(m_objective, trial.outcome);
    if (!trial.outcome.verification.checked) best.text += " unverified";
    best.improved = ++m_improvements;
  }
}

Progress::Best& Progress::bring_to_front(const model::Problem& problem) {
  const auto found = std::ranges::find(m_best, problem, &Best::problem);
  if (found == m_best.end())
    m_best.emplace_front().problem = problem;
  else
    std::rotate(m_best.begin(), found, found + 1);
  return m_best.front();
}

void Progress::at_work(const model::Problem& problem, std::string what) {
  bring_to_front(problem);
  m_now = std::move(what);
}

void Progress::already_known(std::int64_t trials) {
  m_done += trials;
  m_known += trials;
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
  m_sizes_ended = m_sizes == 0 ? m_sizes_ended + 1 : std::min(m_sizes, m_sizes_ended + 1);
  m_size_ended_at = m_clock();
  m_now.clear();
}

std::optional<double> Progress::seconds_by_sizes() const {
  if (m_sizes_ended == 0 || m_sizes == 0) return std::nullopt;
  const double each = (m_size_ended_at - m_started) / static_cast<double>(m_sizes_ended);
  const double left = each * static_cast<double>(m_sizes - m_sizes_ended);
  // Of the size in hand no more is over than it was expected to take.
  return std::max(0.0, left - std::min(each, m_clock() - m_size_ended_at));
}

std::optional<double> Progress::seconds_left() const {
  const std::optional<double> each = m_rate.seconds_each() ? m_rate.seconds_each() : m_expected_each;
  std::optional<double> left;
  const bool is_known = m_total > 0 || m_trial_limit;
  // What the trial in hand has already taken is not still to come.
  if (each && is_known)
    left = std::max(0.0, static_cast<double>(to_come()) * *each - std::min(*each, m_clock() - m_last));
  if (const auto by_sizes = seconds_by_sizes(); m_may_end_early && by_sizes)
    left = left ? std::min(*left, *by_sizes) : *by_sizes;
  if (!m_time_limit) return left;
  const double most = std::max(0.0, *m_time_limit - (m_clock() - m_started));
  return left ? std::min(*left, most) : most;
}

std::string Progress::sizes_text() const {
  if (m_sizes > 1) return fmt::format("{}/{} sizes", m_sizes_ended, m_sizes);
  return m_sizes == 0 && m_sizes_ended > 0 ? util::counted(m_sizes_ended, "size") + " done" : "";
}

std::string Progress::tried_text() const {
  const bool is_share = !m_may_end_early && m_total > 0;
  std::string text =
      is_share ? fmt::format("{} of {} tried", m_done, m_total) : fmt::format("{} tried", m_done - m_known);
  if (m_failed > 0) text += fmt::format(", {} failed", m_failed);
  return text;
}

std::string Progress::rate_text() const {
  const std::optional<double> each = m_rate.seconds_each();
  if (!each || *each <= 0) return "";
  const double rate = 1 / *each;
  if (rate >= 10) return fmt::format("{:.0f}/s", rate);
  return rate >= 1 ? fmt::format("{:.1f}/s", rate) : fmt::format("{} each", duration_text(*each));
}

std::string Progress::time_text() const {
  const std::optional<double> left = seconds_left();
  if (!left || (m_total > 0 && m_done >= m_total)) return "";
  const bool is_bound =
      m_may_end_early ? m_sizes_ended == 0 : m_time_limit && !m_rate.seconds_each() && !m_expected_each;
  return fmt::format("{}{} left", is_bound ? "at most " : "~", duration_text(*left));
}

std::string Progress::best_text(const Best& best) const {
  if (m_objective == model::Objective::time) return "best " + best.text;
  return fmt::format("best by {} {}", model::to_string(m_objective), best.text);
}

std::string Progress::label(const model::Problem& problem) const {
  const bool one_family = !m_several_families && std::ranges::all_of(m_best, [&](const Best& best) {
    return best.problem.family == problem.family;
  });
  return one_family ? problem.size_text() : problem.family + ' ' + problem.size_text();
}

std::string Progress::line(std::size_t columns) const {
  std::vector<Piece> pieces = {{sizes_text(), 6}};
  if (!m_best.empty()) {
    const Best& best = m_best.front();
    pieces.push_back({label(best.problem), 4});
    if (!m_now.empty()) {
      pieces.push_back({m_now, 5});
    } else if (best.value > 0) {
      pieces.push_back({best_text(best), 5});
      if (!best.library.empty()) pieces.push_back({fmt::format("({})", best.library_text()), 3, " "});
    }
  }
  pieces.push_back({tried_text(), 2});
  pieces.push_back({rate_text(), 1});
  pieces.push_back({time_text()});
  std::erase_if(pieces, [](const Piece& piece) { return piece.text.empty(); });
  while (util::display_width(joined(pieces)) > columns) {
    const auto next = least_needed(pieces);
    if (next == pieces.end()) break;
    pieces.erase(next);
  }
  return joined(pieces);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  // The last second of a minute is not needed, nor can the rate promise it.
  if (whole < 595) return fmt::format("{} min {:02} s", (whole + 2) / 5 * 5 / 60, (whole + 2) / 5 * 5 % 60);
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 24 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const std::int64_t hours = (minutes + 30) / 60;
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

}  // namespace tuner::cli::terminal
