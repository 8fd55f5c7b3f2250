#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/device/replay/recorded_space.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/worker/device_lock.hpp"

namespace tuner::cli {

/// Everything that depends on which device was chosen.
struct Backend {
  model::DeviceInfo device;                     ///< the first, where there are several
  std::string compiler;                         ///< its name and version
  compile::CompilePool::Factory make_compiler;  ///< called on the pool's threads
  /// One for each device; more than one only where several GPUs were asked for, and these are alike.
  std::vector<std::unique_ptr<model::TrialRunner>> runners;
  std::vector<std::unique_ptr<worker::DeviceLock>> locks;  ///< of the GPUs
  sweep::LaunchOracle oracle;
  int compile_jobs = 1;
  std::string recorded_device;  ///< as sweep::Request::recorded_device
  /// Of a device that answers from another tuner's file, see play_recorded(); else null.
  std::shared_ptr<const device::replay::RecordedSpace> recorded_space;
  std::vector<std::string> notices;  ///< what a person should know, such as a GPU that was left out

  /// As sweep::Services has them.
  std::vector<model::TrialRunner*> all_runners() const;
  std::vector<model::DeviceInfo> devices() const;
};

/// Opens what `--device` names: auto (the first CUDA device), cuda:N, several of these, all (the GPUs that
/// can be had and are alike), cpu, replay:FILE. Throws model::Error with ExitCode::no_device where there is
/// no such device, and where GPUs that were named are not alike; auto never falls back to the CPU.
Backend open_backend(const config::Settings& settings);

/// What `tuner check` compiles for: the device itself where it needs no driver, else one of `architecture`
/// with its flagship's limits. Throws model::UsageError where there is no such architecture.
model::DeviceInfo device_to_check_for(const std::string& device, const std::string& architecture);

/// In a child process: runs trials on the device of an id, as DeviceInfo::id has it. It says what the device
/// is without a context on it; that is made by the first trial. `cache_folder` keeps the device's own
/// kernels.
std::unique_ptr<model::TrialRunner> local_runner(const std::string& id,
                                                 const std::filesystem::path& cache_folder);

/// The GPUs of `ids`, or, where there are none, all that can be had and are alike: then one that is left out
/// is a notice, and else an error.
Backend open_cuda_backend(const config::Settings& settings, std::vector<std::string> ids);
Backend open_cpu_backend(const config::Settings& settings);
Backend open_replay_backend(const std::string& file);

/// What the limits of a CUDA device say of a compiled kernel. Needs no driver.
sweep::LaunchOracle launch_oracle(const model::DeviceInfo& device);

/// Compile workers to run: the setting, else one a core as far as memory allows.
int compile_jobs(const config::Settings& settings);

}  // namespace tuner::cli
