#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/cli/local_devices.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/worker/serve.hpp"

namespace tuner::cli {
namespace {

/// Over the parent's; a tenth of its share of a core that both want.
constexpr int compiler_niceness = 10;

struct WorkerOptions {
  std::string what;
  std::string cache_folder;
  int fd = -1;
};

CLI::App* add_kind(CLI::App& worker, const std::string& name, const std::string& description,
                   const std::shared_ptr<WorkerOptions>& options) {
  auto* command = worker.add_subcommand(name, description);
  command->add_option("what", options->what)->required();
  command->add_option("--fd", options->fd)->required();
  command->add_option("--cache-folder", options->cache_folder);
  return command;
}

}  // namespace

void add_worker(CLI::App& app, Context&, Action& action) {
  auto* worker = app.add_subcommand("worker", "Serve another tuner process (internal)")->group("");
  worker->require_subcommand(1);
  auto options = std::make_shared<WorkerOptions>();
  add_kind(*worker, "compile", "serve compilations", options)->callback([&action, options] {
    action = [options] {
      // NVRTC has a cache of its own since 12.9, where the driver has one; what is timed here are
      // compilations. Set before there are threads, which may read the environment.
      setenv("CUDA_CACHE_DISABLE", "1", 1);
      // Options that nvcc would take from outside of the spec are no part of a binary's identity.
      for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) unsetenv(variable);
      // Measuring comes first: while every core compiles, its process must still be on one when the GPU is
      // done.
      static_cast<void>(nice(compiler_niceness));
      return worker::serve_compiler(options->fd, [&] { return local_compiler(options->what); });
    };
  });
  worker->add_subcommand("devices", "list the GPUs that CUDA shows")->callback([&action] {
    action = [] {
      for (const model::DeviceInfo& device : device::cuda::devices()) write_out(device.id + "\n");
      return 0;
    };
  });
  add_kind(*worker, "measure", "serve trials", options)->callback([&action, options] {
    action = [options] {
      return worker::serve_runner(options->fd,
                                  [&] { return local_runner(options->what, options->cache_folder); });
    };
  });
}

}  // namespace tuner::cli
