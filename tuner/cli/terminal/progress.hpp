#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli::terminal {

/// Time left from the times between completions. The mean of the last ones, each counted as at most ten times
/// their median: one kernel that hangs until its deadline does not turn minutes into hours, many of them do.
class RateEstimate {
 public:
  void add(double seconds);
  /// Seconds a completion, or nothing before there are five.
  std::optional<double> seconds_each() const;

 private:
  std::deque<double> m_intervals;  ///< the latest 200
};

/// What a sweep has done so far, as one line: `12/29 sizes · 1024 · best 44.4 µs (1.24× cuBLAS) · 93 tried ·
/// 31/s · ~14 s left`. The best is that by the sweep's objective: `best by energy 2.1 mJ`.
class Progress {
 public:
  /// The best of a problem so far.
  struct Best {
    model::Problem problem;
    std::string kernel;
    std::string configuration;
    double value = 0;     ///< by the objective; 0: none can be used yet
    std::string text;     ///< `44.4 µs`, `2.1 mJ`, of edp `2.1 mJ × 44.4 µs`; empty without one
    std::string library;  ///< the best baseline; empty: there is none yet
    double library_value = 0;
    std::int64_t improved = 0;  ///< grows with each improvement of any problem

    /// `1.24× cuBLAS`, or nothing.
    std::string library_text() const;
  };

  Progress(std::int64_t total, Clock clock);

  /// A trial ended. `may_be_best`: it is one of those that are searched for.
  void finished(const model::TrialRecord& trial, bool may_be_best = true);
  /// What the best is best by, before any trial; unless it is told, their time.
  void search_by(model::Objective objective) { m_objective = objective; }
  /// Trials that need no work: they count as done, and not towards the rate.
  void already_known(std::int64_t trials);
  /// A trial of those may be the best so far, or the baseline to beat.
  void known_best(const model::TrialRecord& trial);
  /// Time starts now.
  void begin() { m_started = m_last = m_clock(); }
  /// What a completion took in the past, until there are enough of now.
  void expect(double seconds_each) { m_expected_each = seconds_each; }
  /// The sweep ends when it has taken so long, or when so many trials have ended, whatever is left.
  void end_after(std::optional<double> seconds, std::optional<std::int64_t> trials);
  /// The total is the most there may be: no share of it is told. What is left is judged by what the sizes
  /// took that have ended; before one has, the most that it may be is told.
  void may_end_early() { m_may_end_early = true; }
  /// How many sizes are to be searched; 0: unknown. `several_families`: they are not all of one.
  void set_sizes(std::int64_t sizes, bool several_families = false) {
    m_sizes = sizes;
    m_several_families = several_families;
  }
  /// One of them is searched.
  void size_ended();
  /// The sweep turned out to be longer or shorter.
  void set_total(std::int64_t total) { m_total = total; }
  /// What it is at now, in the place of the best, until the next trial ends.
  void at_work(const model::Problem& problem, std::string what);

  std::int64_t done() const { return m_done; }
  std::int64_t total() const { return m_total; }
  double fraction() const;                     ///< 1 where there is nothing to do
  std::optional<double> seconds_left() const;  ///< nothing while it is unknown
  /// One a problem, the one last worked on in front.
  const std::deque<Best>& best() const { return m_best; }
  /// `best 44.4 µs`, `best by energy 2.1 mJ`.
  std::string best_text(const Best& best) const;
  /// `1024`, or `matmul 1024` where there are several families.
  std::string label(const model::Problem& problem) const;
  /// Where it is too wide, the less important is left out, so that nothing is cut off.
  std::string line(std::size_t columns) const;

 private:
  std::int64_t to_come() const;
  /// By what the sizes took that have ended.
  std::optional<double> seconds_by_sizes() const;
  std::string sizes_text() const;
  std::string tried_text() const;
  std::string rate_text() const;
  std::string time_text() const;
  Best& bring_to_front(const model::Problem& problem);

  std::int64_t m_total;
  Clock m_clock;
  double m_started;
  double m_last;
  std::int64_t m_done = 0;
  std::int64_t m_failed = 0;
  bool m_may_end_early = false;
  std::int64_t m_sizes = 0;
  bool m_several_families = false;
  std::int64_t m_sizes_ended = 0;
  double m_size_ended_at = 0;
  model::Objective m_objective = model::Objective::time;
  std::deque<Best> m_best;
  std::int64_t m_improvements = 0;
  std::string m_now;
  RateEstimate m_rate;
  std::optional<double> m_expected_each;
  std::optional<double> m_time_limit;
  std::optional<std::int64_t> m_trial_limit;
  std::int64_t m_known = 0;  ///< of those done
};

/// `8 s`, `2 min 10 s`, `1 h 05 min`, `3 d 4 h`: two units, rounded to what one can rely on.
std::string duration_text(double seconds);

}  // namespace tuner::cli::terminal
