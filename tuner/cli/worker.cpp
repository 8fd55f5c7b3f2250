#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/gpu_conditions.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/util/processors.hpp"
#include "tuner/worker/serve.hpp"

namespace tuner::cli {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Memory a compile worker may need: large unrolled kernels take several hundred megabytes in ptxas.
constexpr std::int64_t bytes_per_compile_worker = std::int64_t{1} << 30;

worker::ChildCommand child_command(const config::Settings& settings, const char* task,
                                   const std::string& what) {
  return {{"worker", task, what, "--fd", fmt::format("{}", worker::child_socket), "--cache-folder",
           settings.cache_folder().string(), "--cache-limit-mb",
           fmt::format("{}", settings.integer("cache_limit_mb")), "--compile-timeout-s",
           fmt::format("{}", settings.number("compile_timeout_s"))}};
}

std::shared_ptr<compile::BinaryCache> binary_cache(const std::string& folder, std::int64_t limit_mb) {
  return std::make_shared<compile::BinaryCache>(folder, limit_mb << 20);
}

}  // namespace

worker::ChildCommand measure_worker(const config::Settings& settings, const std::string& device) {
  return child_command(settings, "measure", device);
}

worker::ChildCommand compile_worker(const config::Settings& settings, const std::string& compiler) {
  return child_command(settings, "compile", compiler);
}

worker::RemoteRunnerSettings runner_settings(const config::Settings& settings) {
  worker::RemoteRunnerSettings runner;
  runner.run_deadline = milliseconds(settings.number("run_timeout_s"));
  runner.run_deadline_factor = settings.number("run_timeout_factor");
  runner.prepare_deadline = milliseconds(settings.number("prepare_timeout_s"));
  return runner;
}

worker::RemoteCompilerSettings compiler_settings(const config::Settings& settings) {
  worker::RemoteCompilerSettings compiler;
  compiler.deadline = milliseconds(settings.number("compile_timeout_s"));
  return compiler;
}

std::shared_ptr<compile::BinaryCache> binary_cache(const config::Settings& settings) {
  return binary_cache(settings.cache_folder(), settings.integer("cache_limit_mb"));
}

compile::CompilePool::Factory remote_compilers(const config::Settings& settings, const std::string& kind,
                                               const std::string& compiler,
                                               std::unique_ptr<worker::RemoteCompiler> first) {
  struct Shared {
    std::mutex mutex;
    std::unique_ptr<worker::RemoteCompiler> first;
  };
  auto shared = std::make_shared<Shared>();
  shared->first = std::move(first);
  worker::RemoteCompilerSettings remote = compiler_settings(settings);
  remote.name = compiler;
  return [shared, remote, child = compile_worker(settings, kind),
          cache = binary_cache(settings)]() -> std::unique_ptr<compile::Compiler> {
    std::unique_ptr<worker::RemoteCompiler> inner;
    {
      const std::lock_guard lock(shared->mutex);
      inner = std::move(shared->first);
    }
    if (!inner) inner = std::make_unique<worker::RemoteCompiler>(child, remote);
    return std::make_unique<compile::CachingCompiler>(std::move(inner), cache);
  };
}

int compile_jobs(const config::Settings& settings) {
  if (settings.find("compile_jobs")) return static_cast<int>(settings.integer("compile_jobs"));
  const auto by_memory =
      static_cast<int>(std::max<std::int64_t>(1, util::usable_memory_bytes() / bytes_per_compile_worker));
  return std::min(util::usable_processors(), by_memory);
}

namespace {

/// Over the parent's; a tenth of its share of a core that both want.
constexpr int compiler_niceness = 10;

struct WorkerOptions {
  std::string what;
  std::string cache_folder;
  std::int64_t cache_limit_mb = 0;
  double compile_timeout_s = 0;
  int fd = -1;
};

int serve_compilations(const Context&, const WorkerOptions& options) {
  // NVRTC has a cache of its own since 12.9, where the driver has one; what is timed here are compilations.
  // Set before there are threads, which may read the environment.
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  // Options that nvcc would take from outside of the spec are no part of a binary's identity.
  for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) unsetenv(variable);
  // Measuring comes first: while every core compiles, its process must still get one when the GPU is done.
  static_cast<void>(nice(compiler_niceness));
  return worker::serve_compiler(options.fd, [&] {
    return local_compiler(options.what, binary_cache(options.cache_folder, options.cache_limit_mb),
                          milliseconds(options.compile_timeout_s));
  });
}

int serve_trials(const Context&, const WorkerOptions& options) {
  return worker::serve_runner(options.fd, [&] {
    return local_runner(options.what, binary_cache(options.cache_folder, options.cache_limit_mb));
  });
}

int print_devices(const Context&, const NoOptions&) {
  for (const model::DeviceInfo& device : device::cuda::devices()) write_out(device.id + "\n");
  return 0;
}

struct ClockOptions {
  int mhz = 0;
  std::vector<std::string> gpus;
};

int keep_clocks(const Context&, const ClockOptions& options) {
  return guard_clocks(options.gpus, options.mhz);
}

void add_kind(const CommandPlace& place, const std::string& name, const std::string& description,
              int (*serve)(const Context&, const WorkerOptions&)) {
  Command<WorkerOptions> command(place, name, description, serve);
  command->add_option("what", command.options().what)->required();
  command->add_option("--fd", command.options().fd)->required();
  command->add_option("--cache-folder", command.options().cache_folder)->required();
  command->add_option("--cache-limit-mb", command.options().cache_limit_mb)->required();
  command->add_option("--compile-timeout-s", command.options().compile_timeout_s)->required();
}

}  // namespace

void add_worker(const CommandPlace& place) {
  CLI::App& worker =
      *place.parent.add_subcommand("worker", "Serve another tuner process (internal)")->group("");
  worker.require_subcommand(1);
  const CommandPlace below{worker, place.context, place.action};
  Command<ClockOptions> clocks(below, "clocks", "keep GPUs at a clock", keep_clocks);
  clocks->add_option("mhz", clocks.options().mhz)->required();
  clocks->add_option("gpus", clocks.options().gpus)->required();
  add_kind(below, "compile", "serve compilations", serve_compilations);
  Command<NoOptions>(below, "devices", "list the GPUs that CUDA shows", print_devices);
  add_kind(below, "measure", "serve trials", serve_trials);
}

}  // namespace tuner::cli
