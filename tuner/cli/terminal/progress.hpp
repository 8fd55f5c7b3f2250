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

/// What a sweep has done so far, as one line whose end may be cut: `123/456 (27 %) · size 3 of 29 · 2 min 10
/// s left · 3 failed · best 1024: register_tile 38.2 TFLOP/s`.
class Progress {
 public:
  /// `metric` is shown of the best trial; empty, or not among a trial's metrics: its time is.
  Progress(std::int64_t total, Clock clock, std::string metric = "");

  /// A trial ended. `may_be_best`: it is one of those that are searched for.
  void finished(const model::TrialRecord& trial, bool may_be_best = true);
  /// Trials that need no work: they count as done, and not towards the rate.
  void already_known(std::int64_t trials);
  /// A trial of those may be the best so far.
  void known_best(const model::TrialRecord& trial);
  /// Time starts now.
  void begin();
  /// What a completion took in the past, until there are enough of now.
  void expect(double seconds_each) { m_expected_each = seconds_each; }
  /// The sweep ends when it has taken so long, or when so many trials have ended, whatever is left.
  void end_after(std::optional<double> seconds, std::optional<std::int64_t> trials);
  /// The total is the most there may be: no share of it is told. What is left is judged by what the sizes
  /// took that have ended; before one has, the most that it may be is told.
  void may_end_early() { m_may_end_early = true; }
  /// How many sizes are to be searched.
  void set_sizes(std::int64_t sizes) { m_sizes = sizes; }
  /// One of them is searched.
  void size_ended();
  /// The sweep turned out to be longer or shorter.
  void set_total(std::int64_t total) { m_total = total; }

  std::int64_t done() const { return m_done; }
  std::int64_t total() const { return m_total; }
  double fraction() const;                     ///< 1 where there is nothing to do
  std::optional<double> seconds_left() const;  ///< nothing while it is unknown
  /// `now`: what the sweep is at, in the place of the best.
  std::string line(const std::string& now = "") const;

 private:
  std::int64_t to_come() const;
  /// By what the sizes took that have ended.
  std::optional<double> seconds_by_sizes() const;
  std::string time_text() const;

  struct Best {
    model::Problem problem;
    double median_ns = 0;
    std::string text;
  };

  std::int64_t m_total;
  Clock m_clock;
  std::string m_metric;
  double m_started;
  double m_last;
  std::int64_t m_done = 0;
  std::int64_t m_failed = 0;
  bool m_may_end_early = false;
  std::int64_t m_sizes = 0;
  std::int64_t m_sizes_ended = 0;
  double m_size_ended_at = 0;
  std::deque<Best> m_best;  ///< one a problem, the one last worked on in front
  RateEstimate m_rate;
  std::optional<double> m_expected_each;
  std::optional<double> m_time_limit;
  std::optional<std::int64_t> m_trial_limit;
  std::int64_t m_known = 0;  ///< of those done
};

/// `8 s`, `2 min 10 s`, `1 h 05 min`, `3 d 4 h`: two units, rounded to what one can rely on.
std::string duration_text(double seconds);

}  // namespace tuner::cli::terminal
