#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/compile/compiler.hpp"
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

}  // namespace tuner::device::replay
