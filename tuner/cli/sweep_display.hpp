#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/terminal/line_printer.hpp"
#include "tuner/cli/terminal/progress.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/sweep/observer.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// Shows a sweep on stderr: an updating line on a terminal, with one more for each device where there are
/// several, and whole lines at a bounded rate elsewhere.
class SweepDisplay final : public sweep::Observer {
 public:
  SweepDisplay(terminal::LinePrinter& printer, std::vector<model::DeviceInfo> devices, std::string metric);

  /// What a sweep begins with: the problems on which something is left, the best of each that is known, what
  /// a trial took before in seconds, and when it ends whatever is left. Before the sweep.
  void expect(std::vector<model::Problem> problems, const std::vector<model::TrialRecord>& known_best,
              std::optional<double> seconds_each, const sweep::Budget& budget);

  void planned(std::int64_t total, std::int64_t known, bool may_end_early) override;
  void more(std::int64_t trials) override;
  void launching(const model::TrialRecord& trial) override;
  void finished(const model::TrialRecord& trial) override;
  void left_out(const model::TrialRecord& trial) override;
  void final_begins(const model::Problem& problem, std::size_t contestants) override;
  void search_ended(const model::SearchRecord& search) override;
  void notice(const std::string& text) override;

 private:
  /// What each device has done and is at; empty where there is one alone.
  std::vector<std::string> device_lines() const;
  void show(const std::string& line);
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
};

}  // namespace tuner::cli
