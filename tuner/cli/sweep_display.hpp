#pragma once
#include <string>

#include "tuner/cli/terminal/line_printer.hpp"
#include "tuner/cli/terminal/progress.hpp"
#include "tuner/sweep/observer.hpp"

namespace tuner::cli {

/// Shows a sweep on stderr: one updating line on a terminal, whole lines at a bounded rate elsewhere.
class SweepDisplay final : public sweep::Observer {
 public:
  SweepDisplay(terminal::LinePrinter& printer, std::string metric);

  void planned(std::int64_t total, std::int64_t known, bool may_end_early) override;
  void launching(const model::TrialRecord& trial) override;
  void finished(const model::TrialRecord& trial) override;
  void left_out(const model::TrialRecord& trial) override;
  void final_begins(const model::Problem& problem, std::size_t contestants) override;
  void search_ended(const model::SearchRecord& search) override;
  void notice(const std::string& text) override;

 private:
  void show();

  terminal::LinePrinter& m_printer;
  terminal::Progress m_progress;
};

}  // namespace tuner::cli
