#include "tuner/cli/sweep_display.hpp"

#include <fmt/format.h>

#include <utility>

#include "reports/findings.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

SweepDisplay::SweepDisplay(terminal::LinePrinter& printer, std::vector<model::DeviceInfo> devices,
                           std::string metric, cluster::Publisher* publisher)
    : m_printer(printer),
      m_devices(std::move(devices)),
      m_progress(0, terminal::steady_clock(), std::move(metric)),
      m_publisher(publisher) {}

void SweepDisplay::expect(std::vector<model::Problem> problems,
                          const std::vector<model::TrialRecord>& known_best,
                          std::optional<double> seconds_each, const sweep::Budget& budget) {
  m_to_search = std::move(problems);
  m_progress.set_sizes(static_cast<std::int64_t>(m_to_search.size()));
  for (const model::TrialRecord& trial : known_best) m_progress.known_best(trial);
  if (seconds_each) m_progress.expect(*seconds_each);
  m_progress.end_after(budget.seconds, budget.trials);
}

void SweepDisplay::planned(std::int64_t total, std::int64_t known, bool may_end_early) {
  if (m_publisher) m_publisher->planned(total, known);
  m_progress.begin();
  m_progress.set_total(total);
  if (may_end_early && known < total) m_progress.may_end_early();
  m_progress.already_known(known);
  const char* const at_most = may_end_early ? "at most " : "";
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

void SweepDisplay::launching(const model::TrialRecord& trial) {
  m_at_work[trial.gpu].now = fmt::format("{} at {}", trial.kernel, trial.problem.size_text());
}

void SweepDisplay::finished(const model::TrialRecord& trial) {
  if (m_publisher) m_publisher->finished_one();
  show_publishers_notices();
  m_progress.finished(trial, !m_counts || m_counts(trial));
  if (!trial.gpu.empty()) ++m_at_work[trial.gpu].trials;
  show();
}

void SweepDisplay::left_out(const model::TrialRecord&) {
  if (m_publisher) m_publisher->more(-1);
  m_progress.set_total(m_progress.total() - 1);
  show();
}

void SweepDisplay::final_begins(const model::Problem& problem, std::size_t finalists) {
  show_publishers_notices();
  const std::string which = problem.family + ' ' + problem.text();
  show(m_progress.line(finalists == 1 ? which + ": the best once more"
                                      : fmt::format("{}: the best {} once more, in turn", which, finalists)));
}

void SweepDisplay::search_ended(const model::SearchRecord& search) {
  note_size(search.problem);
  if (search.ending == model::SearchEnding::refused) {
    m_printer.line(
        fmt::format("{}: refused after {} configurations: the others were not tried, for the reason above; "
                    "once that is mended, the same command goes on",
                    search.problem.text(), search.tried));
  }
  if (search.ending != model::SearchEnding::until || !search.outlook) return;
  m_printer.line(fmt::format("{}: enough after {} configurations: {}", search.problem.text(), search.tried,
                             reports::outlook_text(*search.outlook)));
}

void SweepDisplay::notice(const std::string& text) {
  m_printer.line(in_same_database(text));
}

std::vector<std::string> SweepDisplay::device_lines() const {
  std::vector<std::string> lines;
  if (m_devices.size() < 2) return lines;
  for (const model::DeviceInfo& device : m_devices) {
    const auto found = m_at_work.find(device.uuid);
    const AtWork work = found == m_at_work.end() ? AtWork{} : found->second;
    lines.push_back(fmt::format("  {}: {} trials{}{}", device.id, work.trials,
                                work.now.empty() ? "" : ", now ", work.now));
  }
  return lines;
}

void SweepDisplay::show_publishers_notices() {
  if (!m_publisher) return;
  for (const std::string& text : m_publisher->take_notices()) notice("warning: " + text);
}

void SweepDisplay::show(const std::string& line) {
  m_printer.status(line, m_progress.fraction(), device_lines());
}

}  // namespace tuner::cli
