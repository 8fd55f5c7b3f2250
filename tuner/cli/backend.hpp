#pragma once
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/interchange/recorded_space.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/worker/device_lock.hpp"
#include "tuner/worker/remote_workers.hpp"

// Devices, and the processes that compile and measure for them. The parent of a sweep touches neither CUDA
// nor what a kernel can break.
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
  /// Of a replay, by kernel: in which its times are, each once.
  std::map<std::string, std::vector<model::Environment>> recorded_environments;
  bool has_recorded_energy = false;  ///< of a replay: of some trial
  /// Of a device that answers from another tuner's file, see play_recorded(); else null.
  std::shared_ptr<const interchange::RecordedSpace> recorded_space;
  std::vector<std::string> notices;  ///< what a person should know, such as a GPU that was left out

  /// What a sweep works with on these devices; nothing is owned.
  sweep::Services services(compile::CompilePool& pool, model::ResultSink& sink, model::ResultSource& source,
                           sweep::Observer& observer, const std::atomic<bool>& stop) const;
  std::vector<model::DeviceInfo> devices() const;
  /// Ends the workers, all at once: a process that leaves a GPU takes a fifth of a second.
  void close();
};

/// Opens what `--device` names: auto (the first CUDA device), cuda:N, several of these, all (the GPUs that
/// can be had and are alike), cpu, replay:FILE. Throws model::Error with ExitCode::no_device where there is
/// no such device, and where GPUs that were named are not alike; auto never falls back to the CPU.
Backend open_backend(const config::Settings& settings);

/// Compiles for `device`, which need not be here, and has no runner. `first`: a compiler for it that was
/// started already; null: one is started.
Backend compiling_backend(const config::Settings& settings, const model::DeviceInfo& device,
                          std::unique_ptr<worker::RemoteCompiler> first = nullptr);

/// Which compiler a device's kernels take, as local_compiler() has it; empty: a recording, where nothing
/// is compiled.
inline std::string compiler_kind(const model::DeviceInfo& device) {
  return std::string(model::device_kind(device.kind).compiler);
}

/// What `tuner check` compiles for: the device itself where it needs no driver, else one of `architecture`
/// with its flagship's limits. Throws model::UsageError where there is no such architecture.
model::DeviceInfo device_to_check_for(const std::string& device, const std::string& architecture);

/// Prints every device that can run kernels here on stdout, and on stderr why there is no GPU where there is
/// none.
int list_devices(const std::string& format);

/// Ids of the GPUs that CUDA shows (CUDA_VISIBLE_DEVICES and the like honoured), as a process of its own
/// says. None where CUDA does not work; opening one says why.
std::vector<std::string> visible_cuda_devices();

/// Why the energy of what runs on the device cannot be measured, as a sentence; empty: it can.
std::string why_no_energy(const model::DeviceInfo& device);

/// Why times of the two may not be compared, as a sentence; empty: they are alike, as far as can be asked.
std::string why_unlike(const model::DeviceInfo& first, const model::DeviceInfo& other);

// In child processes.

/// What keeps binaries, for children and their parent.
using Cache = std::shared_ptr<compile::BinaryCache>;

/// `nvrtc` or the host compiler's name; `limit`: what the parent gives a compilation. Throws model::Error
/// where it is missing.
std::unique_ptr<compile::Compiler> local_compiler(const std::string& name, const Cache& cache,
                                                  std::chrono::milliseconds limit);
/// Runs trials on the device of an id, as DeviceInfo::id has it. It says what the device is without a context
/// on it; that is made by the first trial. `cache` keeps the device's own kernels.
std::unique_ptr<model::TrialRunner> local_runner(const std::string& id, const Cache& cache);
std::unique_ptr<model::TrialRunner> cuda_runner(const std::string& id, const Cache& cache);
std::unique_ptr<model::TrialRunner> cpu_runner();

// How children are started and how long they may take, from the settings.

worker::ChildCommand measure_worker(const config::Settings& settings, const std::string& device);
worker::ChildCommand compile_worker(const config::Settings& settings, const std::string& compiler);
worker::RemoteRunnerSettings runner_settings(const config::Settings& settings);
worker::RemoteCompilerSettings compiler_settings(const config::Settings& settings);
/// Compile workers to run: the setting, else one a core as far as memory allows.
int compile_jobs(const config::Settings& settings);
/// The binaries kept between runs.
Cache binary_cache(const config::Settings& settings);
/// Compilers in child processes behind the cache. `first`, where given, was started to learn the compiler's
/// name and becomes the first of them; the others start when a compilation misses the cache. `kind` is what
/// local_compiler() takes.
compile::CompilePool::Factory remote_compilers(const config::Settings& settings, const std::string& kind,
                                               const std::string& compiler,
                                               std::unique_ptr<worker::RemoteCompiler> first = nullptr);

// Another tuner's recording as a device.

/// The space that another tuner recorded, where the setting `device` names a file of one
/// (`replay:FILE.json.gz`); nothing for every other device. Throws as read_recorded_space() does.
std::shared_ptr<const interchange::RecordedSpace> recorded_space(const config::Settings& settings);

/// The device `id`, which answers from `recorded`. It knows trials only once play_recorded() has been called,
/// and refuses none: what could not be launched is in the file.
Backend open_recorded_backend(std::shared_ptr<const interchange::RecordedSpace> recorded,
                              const std::string& id);

/// The recorded kernel on the recorded problem, with the recorded configurations alone.
sweep::Work recorded_work(const interchange::RecordedSpace& recorded);

/// Has `backend` answer the trials of `request` from the recording it was opened of, if it is one: those
/// whose problem begins with the recorded extents, by parameters of the same names and values. All others are
/// `skipped`. Throws model::UsageError where no kernel of the request has the recording's parameters.
void play_recorded(const sweep::Request& request, Backend& backend);

}  // namespace tuner::cli
