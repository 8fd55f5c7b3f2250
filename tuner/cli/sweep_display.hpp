#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/terminal/progress.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/counted_space.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// Watches what may take long before anything else can be said: it ends with a quarter of a budget of time,
/// which is for more than looking, or a signal, and is shown after a second.
class LongLook {
 public:
  /// The references must outlive what go_on() gives. `budget_s`: absent: no limit.
  LongLook(terminal::LinePrinter& printer, std::string what, std::optional<double> budget_s,
           const std::atomic<bool>& stop)
      : m_printer(printer), m_what(std::move(what)), m_stop(stop) {
    constexpr double share = 0.25;
    if (budget_s) m_seconds = *budget_s * share;
  }

  space::GoOn go_on() const {
    return [this, clock = terminal::steady_clock(), began = terminal::steady_clock()()] {
      const double passed = clock() - began;
      if (passed > 1) m_printer.status(m_what, 0);
      return !m_stop && (!m_seconds || passed < *m_seconds);
    };
  }

 private:
  terminal::LinePrinter& m_printer;
  std::string m_what;
  std::optional<double> m_seconds;
  const std::atomic<bool>& m_stop;
};

/// Shows a sweep on stderr: an updating line on a terminal, with one more for each device where there are
/// several, and whole lines at a bounded rate elsewhere.
class SweepDisplay final : public sweep::Observer {
 public:
  /// `publisher` is told of what it counts, and what it has to say is shown; may be null.
  SweepDisplay(terminal::LinePrinter& printer, std::vector<model::DeviceInfo> devices, std::string metric,
               cluster::Publisher* publisher = nullptr);

  /// What a sweep begins with: the problems on which something is left, the best of each that is known, what
  /// a trial took before in seconds, and when it ends whatever is left. Before the sweep.
  void expect(std::vector<model::Problem> problems, const std::vector<model::TrialRecord>& known_best,
              std::optional<double> seconds_each, const sweep::Budget& budget);

  /// Only trials for which this holds may be shown as the best so far.
  void count_only(std::function<bool(const model::TrialRecord&)> counts) { m_counts = std::move(counts); }

  void planned(std::int64_t total, std::int64_t known, bool may_end_early) override;
  void more(std::int64_t trials) override;
  void launching(const model::TrialRecord& trial) override;
  void finished(const model::TrialRecord& trial) override;
  void left_out(const model::TrialRecord& trial) override;
  void final_begins(const model::Problem& problem, std::size_t finalists) override;
  void search_ended(const model::SearchRecord& search) override;
  void search_pauses(const model::Problem& problem) override { note_size(problem); }
  void notice(const std::string& text) override;

 private:
  /// What each device has done and is at; empty where there is one alone.
  std::vector<std::string> device_lines() const;
  void note_size(const model::Problem& problem) {
    if (std::erase(m_to_search, problem) > 0) m_progress.size_ended();
  }
  void show(const std::string& line);
  void show_publishers_notices();
  void show() { show(m_progress.line()); }

  struct AtWork {
    std::int64_t trials = 0;
    std::string now;
  };
  terminal::LinePrinter& m_printer;
  std::vector<model::DeviceInfo> m_devices;
  std::map<std::string, AtWork> m_at_work;  ///< by uuid
  std::vector<model::Problem> m_to_search;
  terminal::Progress m_progress;
  cluster::Publisher* m_publisher;
  std::function<bool(const model::TrialRecord&)> m_counts;  ///< null: all
};

}  // namespace tuner::cli
