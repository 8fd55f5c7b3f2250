#include "tuner/cli/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <string_view>

#include "db/export_file.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/device/replay/replay.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {

sweep::Services Backend::services(compile::CompilePool& pool, model::ResultSink& sink,
                                  model::ResultSource& source, sweep::Observer& observer,
                                  const std::atomic<bool>& stop) const {
  std::vector<model::TrialRunner*> all;
  for (const auto& runner : runners) all.push_back(runner.get());
  return {pool, std::move(all), sink, source, observer, oracle, terminal::steady_clock(), stop};
}

std::vector<model::DeviceInfo> Backend::devices() const {
  std::vector<model::DeviceInfo> all;
  for (const auto& runner : runners) all.push_back(runner->device());
  return all;
}

void Backend::close() {
  std::vector<std::future<void>> ending;
  for (auto& runner : runners)
    ending.push_back(
        std::async(std::launch::async, [leaving = std::move(runner)]() mutable { leaving.reset(); }));
  runners.clear();
}

namespace {

/// What the limits of a CUDA device say of a compiled kernel. Needs no driver.
sweep::LaunchOracle launch_oracle(const model::DeviceInfo& device) {
  return {[device](const model::KernelResources& resources, const model::Step& step) {
            return device::cuda::why_unlaunchable(device, resources, step);
          },
          [device](const model::KernelResources& resources, const model::Step& step) {
            return device::cuda::occupancy(device.limits, device.compute_major, device.compute_minor,
                                           resources, step.block, step.dynamic_shared_bytes);
          }};
}

constexpr const char* first_gpu = "cuda:0";

struct Gpu {
  std::unique_ptr<worker::RemoteRunner> runner;
  std::unique_ptr<worker::DeviceLock> lock;
};

Gpu open_gpu(const config::Settings& settings, const std::string& id) {
  Gpu gpu;
  gpu.runner =
      std::make_unique<worker::RemoteRunner>(measure_worker(settings, id), runner_settings(settings));
  gpu.lock = std::make_unique<worker::DeviceLock>(gpu.runner->device());
  return gpu;
}

void require_alike(const std::vector<Gpu>& gpus, const model::DeviceInfo& device) {
  const std::string why = gpus.empty() ? "" : why_unlike(gpus.front().runner->device(), device);
  if (why.empty()) return;
  throw model::Error(fmt::format("{} does not compete with the others: {}", device.id, why),
                     fmt::format("tune it by itself: --device {}", device.id), model::ExitCode::no_device);
}

/// The GPUs of `ids`, or, where there are none, all that can be had and are alike: then one that is left out
/// is a notice, and else an error.
Backend open_cuda_backend(const config::Settings& settings, std::vector<std::string> ids) {
  // Beside each other: a sweep that is known already consists of little else than these starts.
  auto starting = std::async(std::launch::async, [&settings] {
    return std::make_unique<worker::RemoteCompiler>(compile_worker(settings, "nvrtc"),
                                                    compiler_settings(settings));
  });
  const auto open = [&settings](const std::string& id) {
    return std::async(std::launch::async, open_gpu, std::cref(settings), id);
  };
  const bool all = ids.empty();
  if (all) ids = {first_gpu};
  std::vector<std::future<Gpu>> opening;
  for (const std::string& id : ids) opening.push_back(open(id));
  for (const std::string& id : all ? visible_cuda_devices() : std::vector<std::string>{}) {
    if (id == first_gpu) continue;
    ids.push_back(id);
    opening.push_back(open(id));
  }
  std::vector<Gpu> gpus;
  std::vector<std::string> notices;
  std::optional<model::Error> first_error;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    try {
      // Without a GPU this throws first, which is the error that a user without one should see.
      Gpu gpu = opening[i].get();
      require_alike(gpus, gpu.runner->device());
      gpus.push_back(std::move(gpu));
    } catch (const model::Error& error) {
      if (!all) throw;
      notices.push_back(fmt::format("without {}: {}", ids[i], error.what()));
      if (!first_error) first_error = error;
    }
  }
  if (gpus.empty()) throw *first_error;
  Backend backend = compiling_backend(settings, gpus.front().runner->device(), starting.get());
  backend.notices = std::move(notices);
  for (Gpu& gpu : gpus) {
    backend.runners.push_back(std::move(gpu.runner));
    backend.locks.push_back(std::move(gpu.lock));
  }
  return backend;
}

Backend open_cpu_backend(const config::Settings& settings) {
  worker::RemoteRunnerSettings runner = runner_settings(settings);
  Backend backend;
  backend.device = device::cpu::describe_cpu();
  backend.compiler = compile::host::HostCompiler().name();
  backend.compile_jobs = compile_jobs(settings);
  backend.make_compiler = remote_compilers(settings, "host", backend.compiler);
  runner.device = backend.device;
  backend.runners.push_back(std::make_unique<worker::RemoteRunner>(measure_worker(settings, "cpu"), runner));
  return backend;
}

Backend open_replay_backend(const std::string& file) {
  auto recording = std::make_shared<db::Export>(db::parse_export(file));
  if (recording->runs.empty()) {
    throw model::Error(fmt::format("{} holds no run, so the device it was recorded on is unknown", file),
                       "make recordings with `tuner export`", model::ExitCode::no_device);
  }
  Backend backend;
  backend.recorded_device = recording->runs.front().device.name;
  backend.device = device::replay::replayed_device(recording->runs.front().device, file);
  backend.compiler = recording->runs.front().toolkit;
  backend.has_recorded_energy = std::ranges::any_of(
      recording->trials, [](const model::TrialRecord& trial) { return trial.outcome.energy.has_value(); });
  for (const model::TrialRecord& trial : recording->trials) {
    auto& known = backend.recorded_environments[trial.kernel];
    if (std::ranges::find(known, trial.environment) == known.end()) known.push_back(trial.environment);
  }
  backend.make_compiler = [recording, toolkit = backend.compiler] {
    return std::make_unique<device::replay::ReplayCompiler>(toolkit, recording->trials);
  };
  backend.runners.push_back(
      std::make_unique<device::replay::ReplayRunner>(backend.device, recording->trials));
  return backend;
}

/// What each kind of device does here; what else is asked of a kind stands in model::device_kinds().
struct Opener {
  std::string_view kind;
  Backend (*open)(const config::Settings& settings, const std::string& device) = nullptr;
  model::DeviceInfo (*check_for)(const std::string& architecture) =
      nullptr;  ///< null: as the first kind does
  /// Called in a child; null: its runner is in this process.
  std::unique_ptr<model::TrialRunner> (*runner)(const std::string& id, const Cache& cache) = nullptr;
};

Backend open_gpus(const config::Settings& settings, const std::string& device) {
  if (device == "all") return open_cuda_backend(settings, {});
  return open_cuda_backend(settings, model::listed_devices(device == "auto" ? "cuda:0" : device));
}

model::DeviceInfo flagship(const std::string& architecture) {
  if (auto device = device::cuda::known_device(architecture)) return *device;
  throw model::UsageError(fmt::format("no architecture is called '{}'", architecture),
                          fmt::format("known: {}", fmt::join(device::cuda::known_architectures(), ", ")));
}

constexpr std::array openers = {
    Opener{"cuda", open_gpus, flagship, cuda_runner},
    Opener{"cpu",
           [](const config::Settings& settings, const std::string&) { return open_cpu_backend(settings); },
           [](const std::string&) { return device::cpu::describe_cpu(); },
           [](const std::string&, const Cache&) { return cpu_runner(); }},
    Opener{"replay",
           [](const config::Settings& settings, const std::string& device) {
             auto recorded = recorded_space(settings);
             return recorded ? open_recorded_backend(std::move(recorded), device)
                             : open_replay_backend(model::recording_of(device));
           }},
};

/// A text of --device that no kind has is refused with the settings.
const Opener& opener_of(const std::string& device) {
  const model::DeviceKind* const kind = model::named_kind(device);
  const auto found = std::ranges::find_if(
      openers, [&](const Opener& opener) { return kind != nullptr && opener.kind == kind->name; });
  if (found == openers.end())
    throw model::Error(fmt::format("there is no device {}", device),
                       "`tuner list devices` shows what there is", model::ExitCode::no_device);
  return *found;
}

}  // namespace

Backend open_backend(const config::Settings& settings) {
  const std::string& device = settings.text("device");
  const Opener& opener = opener_of(device);
  Backend backend = opener.open(settings, device);
  if (opener.runner == nullptr) return backend;  // a replay compiles nothing
  const auto cache = binary_cache(settings);
  if (const std::string why = cache->why_unwritable(); !why.empty())
    backend.notices.push_back(fmt::format(
        "warning: the cache {} cannot be written ({}), so the next run compiles all of this again; "
        "--cache-dir names another",
        cache->folder().string(), why));
  return backend;
}

model::DeviceInfo device_to_check_for(const std::string& device, const std::string& architecture) {
  const auto check_for = opener_of(device).check_for;
  return (check_for == nullptr ? openers.front().check_for : check_for)(architecture);
}

std::unique_ptr<model::TrialRunner> local_runner(const std::string& id, const Cache& cache) {
  return opener_of(id).runner(id, cache);
}

Backend compiling_backend(const config::Settings& settings, const model::DeviceInfo& device,
                          std::unique_ptr<worker::RemoteCompiler> first) {
  const std::string kind = compiler_kind(device);
  if (!first)
    first =
        std::make_unique<worker::RemoteCompiler>(compile_worker(settings, kind), compiler_settings(settings));
  Backend backend;
  backend.device = device;
  backend.compiler = first->name();
  backend.compile_jobs = compile_jobs(settings);
  backend.make_compiler = remote_compilers(settings, kind, backend.compiler, std::move(first));
  backend.oracle = launch_oracle(device);
  return backend;
}

}  // namespace tuner::cli
