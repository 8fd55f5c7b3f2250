#include "tuner/cli/backend.hpp"
#include "tuner/cli/worker_setup.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"

namespace tuner::cli {

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

}  // namespace tuner::cli
