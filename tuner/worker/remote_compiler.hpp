#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "tuner/compile/compiler.hpp"
#include "tuner/worker/worker_slot.hpp"

namespace tuner::worker {

struct RemoteCompilerSettings {
  WorkerSettings worker;
  std::chrono::milliseconds deadline = std::chrono::seconds(60);  ///< of one compilation
  std::optional<std::string>
      name;  ///< of the compiler, where known: no child is started before the first compile()
};

/// A compiler in a child process. A child that hangs is killed with its group (Compilation status timeout),
/// one that dies gives status crashed, with how it died and what it printed as the log; the next job gets a
/// new child. Throws model::Error when the child's own compiler is missing, when no child can be started, or
/// when a new child has another compiler than the first. One caller at a time per object.
class RemoteCompiler : public compile::Compiler {
 public:
  RemoteCompiler(ChildCommand command, RemoteCompilerSettings settings);

  std::string name() const override { return *m_settings.name; }
  model::Compilation compile(const model::CompileJob& job) override;
  /// Once abandoned, the child is killed with its group; the status is timeout then.
  model::Compilation compile_unless(const model::CompileJob& job,
                                    const std::atomic<bool>& abandoned) override;

 private:
  void start();

  RemoteCompilerSettings m_settings;
  WorkerSlot m_slot;
};

}  // namespace tuner::worker
