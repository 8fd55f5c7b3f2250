#include "tuner/sweep/foreign_devices.hpp"

#include <fmt/format.h>

#include <utility>

#include "tuner/sweep/sweep.hpp"

namespace tuner::sweep {

bool ForeignDevices::begin(const model::PossibleFinal& field) {
  bool any = false;
  for (const model::TrialRecord& record : field.finalists) {
    const Work* work = work_of(m_request, record);
    if (work == nullptr || m_spread.correction_of(record.gpu)) continue;
    if (!DeviceSpread::can_tell_by(record.outcome)) continue;
    any = true;
    if (m_foreign.contains(record.gpu)) continue;
    Foreign foreign{{work, record, std::nullopt}, 0, {}, false};
    foreign.is_hopeless = !m_compiler.submit(foreign.best);
    m_foreign.emplace(record.gpu, std::move(foreign));
  }
  return any;
}

std::optional<ForeignDevices::Comparison> ForeignDevices::claim() {
  std::vector<std::string> ended;
  std::optional<Comparison> claimed;
  for (auto& [gpu, foreign] : m_foreign) {
    if (!foreign.is_hopeless && !foreign.best.compiled)
      foreign.is_hopeless = m_compiler.fetch(foreign.best) == FinalistCompiler::Binary::unsound;
    if (foreign.is_hopeless && foreign.claimed == 0) ended.push_back(gpu);
    if (claimed || foreign.is_hopeless || !foreign.best.compiled) continue;
    if (foreign.runs.size() + foreign.claimed >= DeviceSpread::runs) continue;
    ++foreign.claimed;
    claimed = Comparison{gpu, job_of(m_request, *foreign.best.compiled)};
  }
  for (const std::string& gpu : ended) conclude(gpu);
  return claimed;
}

void ForeignDevices::end(const std::string& gpu, std::size_t number, std::optional<DeviceSpread::Taken> run) {
  Foreign& foreign = m_foreign.at(gpu);
  --foreign.claimed;
  if (run)
    foreign.runs.push_back({run->ns / m_spread.correction(number),
                            run->j / m_spread.correction(number, &DeviceSpread::Taken::j)});
  foreign.is_hopeless = foreign.is_hopeless || !run;
  const bool has_all = foreign.is_hopeless || foreign.runs.size() >= DeviceSpread::runs;
  if (has_all && foreign.claimed == 0) conclude(gpu);
}

/// Says what came of it.
void ForeignDevices::conclude(const std::string& gpu) {
  Foreign foreign = std::move(m_foreign.at(gpu));
  m_foreign.erase(gpu);
  const model::TrialRecord& record = foreign.best.record;
  if (foreign.is_hopeless) {
    m_spread.add_foreign(gpu, {1, 1});
    m_services.observer.notice(fmt::format(
        "results of another {} ({}) are compared without correction: its best trial could not run here",
        record.environment.device, gpu));
  } else {
    const double own_j = DeviceSpread::middle_of(foreign.runs, &DeviceSpread::Taken::j);
    m_spread.add_foreign(gpu,
                         {time_ns(record) / DeviceSpread::middle_of(foreign.runs, &DeviceSpread::Taken::ns),
                          own_j > 0 && record.outcome.energy ? record.outcome.energy->mean_j / own_j : 0});
    const double ratio = *m_spread.correction_of(gpu);
    m_services.observer.notice(fmt::format(
        "another {} ({}) compared by {} {} at {}: {}", record.environment.device, gpu, record.kernel,
        record.configuration.text(), record.problem.size_text(),
        ratio == 1
            ? "it differs by no more than what counts as tied"
            : fmt::format("it takes {:.3f} of the time here, so its results are corrected by that", ratio)));
  }
}

void ForeignDevices::compile_again() {
  for (const auto& [gpu, foreign] : m_foreign)
    if (!foreign.best.compiled) m_compiler.submit(foreign.best);
}

}  // namespace tuner::sweep
