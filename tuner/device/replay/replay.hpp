#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::device::replay {

/// Compiles nothing: gives the recorded resources, time and log of each binary, without the binary.
/// A job that was not recorded succeeds with resources of zero: a reference has no record of its own, and of
/// a trial that is not in the recording ReplayRunner says so.
class ReplayCompiler : public compile::Compiler {
 public:
  /// `toolkit`: the compiler's name in the recording, since it is part of every identity.
  ReplayCompiler(std::string toolkit, const std::vector<model::TrialRecord>& recording);

  std::string name() const override { return m_toolkit; }
  model::Compilation compile(const model::CompileJob& job) override;

 private:
  std::string m_toolkit;
  std::unordered_map<model::Digest, model::Compilation, model::DigestHash> m_compilations;
};

/// `recorded` as the replay of `file` shows it: kind `replay`, id `replay:FILE`, everything else as it was,
/// so that limits, and with them plans and identities, are those of the recording.
model::DeviceInfo replayed_device(model::DeviceInfo recorded, const std::string& file);

/// Answers each trial with its recorded outcome, found by TrialJob::key; a trial that was never recorded is
/// `skipped`.
class ReplayRunner : public model::TrialRunner {
 public:
  /// Of records with equal keys the last one is taken, as in a database.
  ReplayRunner(model::DeviceInfo device, const std::vector<model::TrialRecord>& recording);

  const model::DeviceInfo& device() const override { return m_device; }
  model::TrialOutcome run(const model::TrialJob& job) override;
  /// A recording has no rounds to repeat: trials stand as they were recorded, tied where their intervals
  /// overlap the fastest one's.
  model::FinalOutcome run_final(const model::FinalJob& job) override;

 private:
  model::DeviceInfo m_device;
  std::unordered_map<model::Digest, model::TrialOutcome, model::DigestHash> m_outcomes;
};

}  // namespace tuner::device::replay
