#include "tuner/cli/sweep_display.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/findings.hpp"
#include "reports/summary.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::string configuration_of(const model::TrialRecord& trial) {
  return trial.configuration.assignments().empty() ? "" : trial.configuration.text();
}

std::string named(const model::TrialRecord& trial) {
  return fmt::format("{} at {}", trial.kernel, trial.problem.size_text());
}

/// With the configuration where there is room for all of it.
std::string with_configuration(const std::string& line, const std::string& configuration,
                               std::size_t columns) {
  const std::string whole = line + ' ' + configuration;
  return configuration.empty() || util::display_width(whole) > columns ? line : whole;
}

std::string state_text(const model::Measurement& measurement) {
  std::string text;
  if (measurement.sm_clock_mhz > 0) text += fmt::format(" · {:.0f} MHz", measurement.sm_clock_mhz);
  if (measurement.temperature_c > 0) text += fmt::format(" · {:.0f} °C", measurement.temperature_c);
  if (measurement.power_w > 0) text += fmt::format(" · {:.0f} W", measurement.power_w);
  return text;
}

}  // namespace

SweepPicture::SweepPicture(std::vector<model::DeviceInfo> devices) {
  for (const model::DeviceInfo& device : devices)
    m_devices.emplace_back(device.uuid, AtWork{device.id, 0, "", "", ""});
}

void SweepPicture::compiling(const model::TrialRecord& trial) {
  if (m_compiling.emplace(trial.key, std::pair(named(trial), configuration_of(trial))).second)
    m_compiling_order.push_back(trial.key);
}

void SweepPicture::compiled(const model::TrialRecord& trial) {
  if (m_compiling.erase(trial.key) > 0) std::erase(m_compiling_order, trial.key);
}

SweepPicture::AtWork& SweepPicture::device_of(const model::TrialRecord& trial) {
  const auto found = std::ranges::find_if(m_devices, [&](const auto& one) { return one.first == trial.gpu; });
  if (found != m_devices.end()) return found->second;
  if (m_devices.size() != 1 || !trial.gpu.empty())
    m_devices.emplace_back(trial.gpu,
                           AtWork{trial.gpu.empty() ? trial.environment.device : trial.gpu, 0, "", "", ""});
  return m_devices.back().second;
}

void SweepPicture::launching(const model::TrialRecord& trial) {
  AtWork& device = device_of(trial);
  device.now = named(trial);
  device.configuration = configuration_of(trial);
}

void SweepPicture::finished(const model::TrialRecord& trial) {
  compiled(trial);
  const model::TrialOutcome& outcome = trial.outcome;
  if (model::is_failure(outcome.status)) {
    m_last_failure = fmt::format("last failure: {}: {}: {}", named(trial), model::to_string(outcome.status),
                                 reports::reason(trial));
  }
  if (trial.gpu.empty() && !outcome.measurement) return;  // it was not run
  AtWork& device = device_of(trial);
  ++device.trials;
  if (!outcome.measurement) return;
  if (std::string state = state_text(*outcome.measurement); !state.empty()) device.state = std::move(state);
}

void SweepPicture::ended() {
  m_compiling.clear();
  m_compiling_order.clear();
  for (auto& [uuid, device] : m_devices) device.now.clear();
}

std::vector<std::string> SweepPicture::size_lines(const terminal::Progress& progress, std::size_t columns,
                                                  std::size_t rows) {
  using Best = terminal::Progress::Best;
  std::vector<const Best*> shown;
  for (const Best& best : progress.best())
    if (best.value > 0) shown.push_back(&best);
  if (shown.size() < 2) return {};  // the line of progress has it
  if (shown.size() > rows) {
    std::ranges::sort(shown, std::ranges::greater(), &Best::improved);
    shown.resize(rows);
  }
  std::ranges::sort(shown, [](const Best* a, const Best* b) {
    return reports::problem_less(a->problem, b->problem);  // stays where it is while others improve
  });
  std::size_t labels = 0;
  std::size_t values = 0;
  std::size_t libraries = 0;
  for (const Best* best : shown) {
    labels = std::max(labels, util::display_width(progress.label(best->problem)));
    values = std::max(values, util::display_width(best->text));
    libraries = std::max(libraries, util::display_width(best->library_text()));
  }
  std::vector<std::string> lines;
  for (const Best* best : shown) {
    const std::string library = fmt::format("{:<{}}", best->library_text(), libraries);
    const std::string line =
        fmt::format("  {:>{}}  {:>{}}{}{}  {}", progress.label(best->problem), labels, best->text, values,
                    libraries == 0 ? "" : "  ", library, best->kernel);
    lines.push_back(with_configuration(line, best->configuration, columns));
  }
  return lines;
}

std::vector<std::string> SweepPicture::lines(const terminal::Progress& progress, std::size_t columns,
                                             std::size_t rows) const {
  if (rows == 0) return {};
  std::vector<std::string> others;
  if (!m_compiling_order.empty()) {
    const auto& [name, configuration] = m_compiling.at(m_compiling_order.front());
    others.push_back(with_configuration(fmt::format("  compiles {}: {}", m_compiling_order.size(), name),
                                        configuration, columns));
  }
  for (const auto& [uuid, device] : m_devices) {
    if (device.trials == 0 && device.now.empty()) continue;
    const std::string line =
        fmt::format("  {}: {}{}", device.id, util::counted(device.trials, "trial"), device.state);
    others.push_back(device.now.empty()
                         ? line
                         : with_configuration(line + " · runs " + device.now, device.configuration, columns));
  }
  if (!m_last_failure.empty()) others.push_back("  " + m_last_failure);
  others.resize(std::min(others.size(), rows));
  std::vector<std::string> all = size_lines(progress, columns, rows - others.size());
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

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
