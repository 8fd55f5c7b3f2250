#include <future>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/worker_setup.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"

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

Backend open_cuda_backend(const config::Settings& settings, const std::string& id) {
  // Beside each other: a sweep that is known already consists of little else than these starts.
  auto starting = std::async(std::launch::async, [&settings] {
    return std::make_unique<worker::RemoteCompiler>(compile_worker("nvrtc"), compiler_settings(settings));
  });
  // Without a GPU the runner throws first, which is the error that a user without one should see.
  auto runner =
      std::make_unique<worker::RemoteRunner>(measure_worker(settings, id), runner_settings(settings));
  auto compiler = starting.get();
  Backend backend;
  backend.device = runner->device();
  backend.compiler = compiler->name();
  backend.compile_jobs = compile_jobs(settings);
  backend.make_compiler = remote_compilers(settings, "nvrtc", backend.compiler, std::move(compiler));
  backend.runner = std::move(runner);
  backend.oracle = launch_oracle(backend.device);
  return backend;
}

}  // namespace tuner::cli
