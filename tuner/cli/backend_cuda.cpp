#include <fmt/format.h>

#include <functional>
#include <future>
#include <optional>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/cuda_devices.hpp"
#include "tuner/cli/worker_setup.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {

sweep::LaunchOracle launch_oracle(const model::DeviceInfo& device) {
  return {[device](const model::KernelResources& resources, const model::Step& step) {
            return device::cuda::why_unlaunchable(device, resources, step);
          },
          [device](const model::KernelResources& resources, const model::Step& step) {
            return device::cuda::occupancy(device.limits, device.compute_major, device.compute_minor,
                                           resources, step.block, step.dynamic_shared_bytes);
          }};
}

namespace {

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

/// Throws where it is unlike those that are there.
void add_gpu(Backend& backend, Gpu gpu) {
  const model::DeviceInfo& device = gpu.runner->device();
  const std::string why =
      backend.runners.empty() ? "" : why_unlike(backend.runners.front()->device(), device);
  if (!why.empty()) {
    throw model::Error(fmt::format("{} does not compete with the others: {}", device.id, why),
                       fmt::format("tune it by itself: --device {}", device.id), model::ExitCode::no_device);
  }
  backend.runners.push_back(std::move(gpu.runner));
  backend.locks.push_back(std::move(gpu.lock));
}

}  // namespace

Backend open_cuda_backend(const config::Settings& settings, std::vector<std::string> ids) {
  // Beside each other: a sweep that is known already consists of little else than these starts.
  auto starting = std::async(std::launch::async, [&settings] {
    return std::make_unique<worker::RemoteCompiler>(compile_worker("nvrtc"), compiler_settings(settings));
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
  Backend backend;
  std::optional<model::Error> first_error;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    try {
      // Without a GPU this throws first, which is the error that a user without one should see.
      add_gpu(backend, opening[i].get());
    } catch (const model::Error& error) {
      if (!all) throw;
      backend.notices.push_back(fmt::format("without {}: {}", ids[i], error.what()));
      if (!first_error) first_error = error;
    }
  }
  if (backend.runners.empty()) throw *first_error;
  auto compiler = starting.get();
  backend.device = backend.runners.front()->device();
  backend.compiler = compiler->name();
  backend.compile_jobs = compile_jobs(settings);
  backend.make_compiler = remote_compilers(settings, "nvrtc", backend.compiler, std::move(compiler));
  backend.oracle = launch_oracle(backend.device);
  return backend;
}

}  // namespace tuner::cli
