#pragma once
#include <functional>
#include <memory>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/trial_runner.hpp"
#include "tuner/worker/frame.hpp"

namespace tuner::worker {

/// The whole life of a compile worker: call it first thing in the child, with the descriptor it was given,
/// and return what it returns from main. It ties the process to its parent (ParentWatch), makes the compiler,
/// says that it is ready and serves until the parent closes its end. A model::Error from `make` or from the
/// compiler is told to the parent, who throws it.
int serve_compiler(int fd, const std::function<std::unique_ptr<compile::Compiler>()>& make,
                   const FrameLimits& limits = {});

/// The same for a measuring worker. After an outcome with device_lost, or an exception from the runner, the
/// process ends; the parent starts another.
int serve_runner(int fd, const std::function<std::unique_ptr<model::TrialRunner>()>& make,
                 const FrameLimits& limits = {});

}  // namespace tuner::worker
