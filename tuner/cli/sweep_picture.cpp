#include "tuner/cli/sweep_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/summary.hpp"
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

}  // namespace tuner::cli
