#include "tuner/device/replay/replay_runner.hpp"

#include <algorithm>
#include <utility>

namespace tuner::device::replay {

model::DeviceInfo replayed_device(model::DeviceInfo recorded, const std::string& file) {
  recorded.id = "replay:" + file;
  recorded.kind = "replay";
  recorded.name += " (replayed)";
  return recorded;
}

ReplayRunner::ReplayRunner(model::DeviceInfo device, const std::vector<model::TrialRecord>& recording)
    : m_device(std::move(device)) {
  for (const model::TrialRecord& record : recording) m_outcomes.insert_or_assign(record.key, record.outcome);
}

model::TrialOutcome ReplayRunner::run(const model::TrialJob& job) {
  model::TrialOutcome outcome;
  const auto found = m_outcomes.find(job.key);
  if (found == m_outcomes.end()) {
    outcome.status = model::TrialStatus::skipped;
    outcome.detail = "not in the recording";
    return outcome;
  }
  outcome = found->second;
  outcome.device_lost = false;  // the process that was lost then is not this one
  return outcome;
}

model::FinalOutcome ReplayRunner::run_final(const model::FinalJob& job) {
  model::FinalOutcome out;
  std::vector<model::Measurement> recorded;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    const model::TrialOutcome outcome = run(job.trials[i]);
    if (!outcome.measurement) {
      out.failure = outcome;
      out.culprit = i;
      return out;
    }
    recorded.push_back(*outcome.measurement);
    if (recorded[i].median_ns < recorded[out.fastest].median_ns) out.fastest = i;
  }
  const model::Measurement& fastest = recorded[out.fastest];
  for (const model::Measurement& measurement : recorded) {
    model::Standing standing;
    standing.measurement = measurement;
    standing.ratio = measurement.median_ns / fastest.median_ns;
    standing.ratio_low = measurement.low_ns / fastest.high_ns;
    standing.ratio_high = measurement.high_ns / fastest.low_ns;
    standing.tied = standing.ratio_low <= 1;
    out.standings.push_back(std::move(standing));
    out.rounds = std::max(out.rounds, static_cast<int>(measurement.samples_ns.size()));
  }
  return out;
}

}  // namespace tuner::device::replay
