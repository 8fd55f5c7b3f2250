#pragma once
#include <functional>
#include <string>

#include "tests/support/scripted_behaviour.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::test {

/// Runs nothing: does what behaviour_of() says, with times that depend on the job and a seed alone, so that
/// the same sweep gives the same results in any order and any process. `fd` is the worker's socket, for those
/// behaviours that break the protocol; -1 where there is no process to lose.
class ScriptedRunner : public model::TrialRunner {
 public:
  explicit ScriptedRunner(int fd = -1, std::uint64_t seed = 1);

  const model::DeviceInfo& device() const override { return m_device; }
  model::TrialOutcome run(const model::TrialJob& job) override;
  model::FinalOutcome run_final(const model::FinalJob& job) override {
    return run_final_with_notice(job, [](std::size_t) {});
  }
  model::FinalOutcome run_final_with_notice(const model::FinalJob& job,
                                            const std::function<void(std::size_t)>& before_work) override;
  model::Profile profile(const model::ProfileJob& job) override;
  void report_phases_to(std::function<void(model::TrialPhase)> listener) override {
    m_listener = std::move(listener);
  }

 private:
  void enter(model::TrialPhase phase) const {
    if (m_listener) m_listener(phase);
  }

  int m_fd;
  std::uint64_t m_seed;
  model::DeviceInfo m_device;
  std::function<void(model::TrialPhase)> m_listener;
};

/// Compiles nothing: gives each entry resources that depend on its name, and a binary that is the job's key.
/// Of the behaviours it shows those whose name is led by `compile_` (`compile_hang`); the others are its
/// runner's business.
class ScriptedCompiler : public compile::Compiler {
 public:
  explicit ScriptedCompiler(int fd = -1) : m_fd(fd) {}
  std::string name() const override { return "scripted 1"; }
  model::Compilation compile(const model::CompileJob& job) override;

 private:
  int m_fd;
};

/// The device of a ScriptedRunner.
model::DeviceInfo scripted_device();

}  // namespace tuner::test
