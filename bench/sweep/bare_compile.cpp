#include "bench/sweep/bare_compile.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

#include "tuner/compile/compile_pool.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/worker/remote_workers.hpp"

namespace bench::sweep {
namespace {

using namespace tuner;
namespace nvrtc = compile::nvrtc;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  }

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

nvrtc::Request request_of(const model::CompileJob& job, nvrtc::Version version) {
  return {job.source, nvrtc::options_for(job, version, {}), job.entries};
}

}  // namespace

std::vector<model::CompileJob> jobs_of(const space::KernelSpace& kernel, const model::Problem& problem,
                                       const model::DeviceInfo& device, std::size_t most) {
  const std::string compiler = nvrtc::NvrtcCompiler(nvrtc::load_library()).name();
  std::map<model::Digest, model::CompileJob> jobs;  // in the order of digests: spread over the space
  const space::ConfigurationList list = kernel.list(problem, device.limits);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const model::Configuration configuration = list[i];
    if (!std::holds_alternative<model::Plan>(kernel.make_plan(problem, configuration, device.limits)))
      continue;
    model::CompileJob job = kernel.compile_job(problem, configuration, device.architecture, compiler);
    jobs.emplace(job.key(), std::move(job));
  }
  std::vector<model::CompileJob> out;
  if (auto reference = kernel.reference_job(problem, device.architecture, compiler))
    out.push_back(std::move(*reference));
  for (auto& [key, job] : jobs) {
    if (out.size() < most) out.push_back(std::move(job));
  }
  return out;
}

namespace {

/// What the processes below share.
struct Board {
  std::atomic<std::size_t> next{0};
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
};

void wait_for(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

[[noreturn]] void compile_share(const std::vector<model::CompileJob>& jobs, Board& board) {
  const auto library = nvrtc::load_library();
  // NVRTC starts up at its first compilation; a tuner's workers do while the GPU is being opened.
  static_cast<void>(library->compile(request_of(jobs.front(), library->version())));
  ++board.ready;
  wait_for([&] { return board.go.load(); });
  for (std::size_t at = board.next++; at < jobs.size(); at = board.next++)
    static_cast<void>(library->compile(request_of(jobs[at], library->version())));
  _exit(0);
}

}  // namespace

double bare_seconds(const std::vector<model::CompileJob>& jobs, int processes) {
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  Board& board = *new (memory) Board;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no more processes");
    if (child == 0) compile_share(jobs, board);
  }
  wait_for([&] { return board.ready == processes; });
  const Stopwatch stopwatch;
  board.go = true;
  for (int i = 0; i < processes; ++i) wait(nullptr);
  const double seconds = stopwatch.seconds();
  munmap(memory, sizeof(Board));
  return seconds;
}

double pool_seconds(const std::vector<model::CompileJob>& jobs, int workers, const std::string& program) {
  const Stopwatch stopwatch;
  worker::RemoteCompilerSettings settings;
  settings.name = jobs.front().compiler;
  const worker::ChildCommand child{
      {"worker", "compile", "nvrtc", "--fd", std::to_string(worker::child_socket)}, program};
  compile::CompilePool pool(workers,
                            [&] { return std::make_unique<worker::RemoteCompiler>(child, settings); });
  for (const model::CompileJob& job : jobs) pool.submit(job);
  while (pool.take()) continue;
  return stopwatch.seconds();
}

}  // namespace bench::sweep
