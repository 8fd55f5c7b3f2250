#include "tuner/cli/sweep_display.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/findings.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

space::GoOn long_look(terminal::LinePrinter& printer, std::string what, std::optional<double> budget_s,
                      const std::atomic<bool>& stop) {
  return [&printer, &stop, what = std::move(what), budget_s, clock = terminal::steady_clock(),
          began = terminal::steady_clock()()] {
    constexpr double share = 0.25;
    const double passed = clock() - began;
    if (passed > 1) printer.status(what, 0);
    return !stop && (!budget_s || passed < share * *budget_s);
  };
}

SweepDisplay::SweepDisplay(terminal::LinePrinter& printer, std::vector<model::DeviceInfo> devices,
                           cluster::Publisher* publisher, std::size_t rows, terminal::Clock clock)
    : m_printer(printer),
      m_progress(0, std::move(clock)),
      m_picture(std::move(devices)),
      m_rows(rows),
      m_publisher(publisher) {}

void SweepDisplay::expect(const Expected& expected) {
  m_to_search = expected.problems;
  m_progress.search_by(expected.objective);
  if (m_to_search) {
    const auto& all = *m_to_search;
    const auto is_other = [&](const model::Problem& one) { return one.family != all.front().family; };
    m_progress.set_sizes(static_cast<std::int64_t>(all.size()), std::ranges::any_of(all, is_other));
  } else {
    m_progress.set_sizes(0);
  }
  if (!expected.devices.empty()) m_picture = SweepPicture(expected.devices);
  for (const model::TrialRecord& trial : expected.known_best) m_progress.known_best(trial);
  if (expected.seconds_each) m_progress.expect(*expected.seconds_each);
  m_progress.end_after(expected.seconds, expected.trials);
}

void SweepDisplay::ended(Stays what) {
  m_picture.ended();
  if (what == Stays::line) m_rows = 0;
  if (m_progress.done() > 0) show();
}

void SweepDisplay::planned(std::int64_t total, std::int64_t known, bool may_end_early) {
  if (m_publisher) m_publisher->planned(total, known);
  m_progress.begin();
  m_progress.set_total(total);
  if (may_end_early && known < total) m_progress.may_end_early();
  m_progress.already_known(known);
  const char* const at_most = may_end_early ? "at most " : "";
  if (total == 0) return;  // unknown, or nothing to do, which is said elsewhere
  if (known == total) {
    m_printer.line(
        fmt::format("{}, {}known already", util::counted(total, "trial"), total == 1 ? "" : "all of them "));
  } else {
    m_printer.line(fmt::format("{}{}{}", at_most, util::counted(total, "trial"),
                               known > 0 ? fmt::format(", {} of them known already", known) : ""));
  }
  if (known > 0 && known < total) show();
}

void SweepDisplay::more(std::int64_t trials) {
  if (m_publisher) m_publisher->more(trials);
  m_progress.set_total(m_progress.total() + trials);
  show();
}

void SweepDisplay::finished(const model::TrialRecord& trial) {
  if (m_publisher) m_publisher->finished_one();
  show_publishers_notices();
  m_progress.finished(trial, !m_counts || m_counts(trial));
  m_picture.finished(trial);
  show();
}

void SweepDisplay::left_out(const model::TrialRecord& trial) {
  if (m_publisher) m_publisher->more(-1);
  m_picture.compiled(trial);
  m_progress.set_total(m_progress.total() - 1);
  show();
}

void SweepDisplay::final_begins(const model::Problem& problem, std::size_t finalists) {
  show_publishers_notices();
  m_progress.at_work(problem, finalists == 1 ? "final: the best measured again"
                                             : fmt::format("final: the best {} measured in turn", finalists));
  show();
}

/// Where no picture is drawn, a line says what came of it.
void SweepDisplay::size_ended(const model::Problem& problem) {
  if (m_to_search && std::erase(*m_to_search, problem) == 0) return;
  m_progress.size_ended();
  const auto best = std::ranges::find(m_progress.best(), problem, &terminal::Progress::Best::problem);
  if (m_printer.is_interactive() || best == m_progress.best().end() || best->value == 0) return;
  const std::string library = best->library_text();
  m_printer.line(fmt::format("{}: {}{}: {} {}", m_progress.label(problem), m_progress.best_text(*best),
                             library.empty() ? "" : fmt::format(" ({})", library), best->kernel,
                             best->configuration));
}

void SweepDisplay::search_ended(const model::SearchRecord& search) {
  size_ended(search.problem);
  if (search.ending == model::SearchEnding::refused) {
    m_printer.line(
        fmt::format("{}: refused after {}: the others were not tried, for the reason above; "
                    "once that is mended, the same command goes on",
                    search.problem.text(), util::counted(search.tried, "configuration")));
  }
  if (search.ending != model::SearchEnding::until || !search.outlook) return;
  m_printer.line(fmt::format("{}: enough after {}: {}", search.problem.text(),
                             util::counted(search.tried, "configuration"),
                             reports::outlook_text(*search.outlook)));
}

void SweepDisplay::notice(const std::string& text) {
  m_printer.line(in_same_database(text));
}

void SweepDisplay::show_publishers_notices() {
  if (!m_publisher) return;
  for (const std::string& text : m_publisher->take_notices()) notice("warning: " + text);
}

void SweepDisplay::show() {
  const std::size_t rows = m_printer.is_interactive() ? std::min(m_rows, m_printer.rows() - 1) : 0;
  const std::size_t columns = m_printer.line_width();
  m_printer.status(m_progress.line(columns), m_progress.fraction(),
                   m_picture.lines(m_progress, columns, rows));
}

}  // namespace tuner::cli
