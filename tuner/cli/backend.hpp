#pragma once
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/device/replay/recorded_space.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/trial_runner.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// Everything that depends on which device was chosen.
struct Backend {
  model::DeviceInfo device;
  std::string compiler;                         ///< its name and version
  compile::CompilePool::Factory make_compiler;  ///< called on the pool's threads
  std::unique_ptr<model::TrialRunner> runner;
  sweep::LaunchOracle oracle;
  int compile_jobs = 1;
  std::string recorded_device;  ///< as sweep::Request::recorded_device
  /// Of a device that answers from another tuner's file, see play_recorded(); else null.
  std::shared_ptr<const device::replay::RecordedSpace> recorded_space;
};

/// Opens what `--device` names: auto (the first CUDA device), cuda:N, cpu, replay:FILE. Throws model::Error
/// with ExitCode::no_device where there is no such device; auto never falls back to the CPU.
Backend open_backend(const config::Settings& settings);

Backend open_cuda_backend(const config::Settings& settings, const std::string& id);
Backend open_cpu_backend(const config::Settings& settings);
Backend open_replay_backend(const std::string& file);

/// What the limits of a CUDA device say of a compiled kernel. Needs no driver.
sweep::LaunchOracle launch_oracle(const model::DeviceInfo& device);

/// Compile workers to run: the setting, else one a core as far as memory allows.
int compile_jobs(const config::Settings& settings);

}  // namespace tuner::cli
