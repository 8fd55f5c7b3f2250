#include "tuner/sweep/unprepared.hpp"

#include <fmt/format.h>

namespace tuner::sweep {

bool Unprepared::contains(const Compiled& trial) {
  if (contains(trial.trial)) return true;
  if (!trial.reference || trial.reference->status == model::TrialStatus::ok) return false;
  if (m_bad_references.insert(trial.trial.reference_key).second) {
    add(trial.trial,
        fmt::format("the reference it is verified against does not compile, at this size or any other:\n{}",
                    trial.reference->log));
  }
  m_problems.insert(trial.trial.preparation_key);
  return true;
}

void Unprepared::add(const Trial& trial, const std::string& why) {
  if (!m_problems.insert(trial.preparation_key).second) return;
  const model::TrialRecord& record = trial.record;
  m_observer.notice(fmt::format("left out: {} {} as {} has it: {}", record.problem.family,
                                record.problem.text(), record.kernel, why));
}

}  // namespace tuner::sweep
