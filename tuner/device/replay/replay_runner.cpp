#include "tuner/device/replay/replay_runner.hpp"

#include <utility>

namespace tuner::device::replay {

model::DeviceInfo replayed_device(model::DeviceInfo recorded, const std::string& file) {
  recorded.id = "replay:" + file;
  recorded.kind = "replay";
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

}  // namespace tuner::device::replay
