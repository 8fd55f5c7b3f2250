#include "tuner/cli/worker_setup.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "tuner/cli/backend.hpp"
#include "tuner/util/usable_cores.hpp"

namespace tuner::cli {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Memory a compile worker may need: large unrolled kernels take several hundred megabytes in ptxas.
constexpr std::int64_t bytes_per_compile_worker = std::int64_t{1} << 30;

}  // namespace

worker::ChildCommand measure_worker(const config::Settings& settings, const std::string& device) {
  return {{"worker", "measure", device, "--fd", fmt::format("{}", worker::child_socket), "--cache-folder",
           settings.cache_folder().string()}};
}

worker::ChildCommand compile_worker(const std::string& compiler) {
  return {{"worker", "compile", compiler, "--fd", fmt::format("{}", worker::child_socket)}};
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
  return std::make_shared<compile::BinaryCache>(settings.cache_folder(), settings.integer("cache_limit_mb")
                                                                             << 20);
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
  return [shared, remote, kind, cache = binary_cache(settings)]() -> std::unique_ptr<compile::Compiler> {
    std::unique_ptr<worker::RemoteCompiler> inner;
    {
      const std::lock_guard lock(shared->mutex);
      inner = std::move(shared->first);
    }
    if (!inner) inner = std::make_unique<worker::RemoteCompiler>(compile_worker(kind), remote);
    return std::make_unique<compile::CachingCompiler>(std::move(inner), cache);
  };
}

int compile_jobs(const config::Settings& settings) {
  if (settings.find("compile_jobs")) return static_cast<int>(settings.integer("compile_jobs"));
  const std::int64_t memory = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const std::int64_t by_memory = std::max<std::int64_t>(1, memory / bytes_per_compile_worker);
  return static_cast<int>(std::min<std::int64_t>(util::usable_cores(), by_memory));
}

}  // namespace tuner::cli
