// A worker with a scripted device or compiler in a real process, and some that fail in their first second.
//   worker_child measure|compile|mute|prints-and-dies|no-device|chatters|breeds|parent
// Its socket is descriptor 3, as ChildProcess leaves it.
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/support/scripted_runner.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/model/error.hpp"
#include "tuner/worker/remote_runner.hpp"
#include "tuner/worker/serve.hpp"

extern char** environ;

namespace {

using namespace tuner;

void sleep_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// A compiler that starts a process of its own, prints its id and hangs, as a host compiler might.
class BreedingCompiler : public compile::Compiler {
 public:
  std::string name() const override { return "breeding 1"; }
  model::Compilation compile(const model::CompileJob& job) override {
    char program[] = "/bin/sleep";
    char seconds[] = "3600";
    char* argv[] = {program, seconds, nullptr};
    pid_t pid = -1;
    if (::posix_spawn(&pid, program, nullptr, nullptr, argv, environ) != 0) std::abort();
    std::FILE* file = std::fopen(job.source.front().name.c_str(), "w");
    fmt::print(file, "{}\n", pid);
    std::fclose(file);
    sleep_forever();
    return {};
  }
};

std::unique_ptr<model::TrialRunner> no_device() {
  throw model::Error("no usable device: libcuda.so.1 was not found", "install the driver",
                     model::ExitCode::no_device);
}

/// A parent whose child hangs: prints the child's id and waits to be killed.
int be_a_parent() {
  worker::RemoteRunnerSettings settings;
  settings.worker.log = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  settings.run_deadline = std::chrono::hours(1);
  worker::RemoteRunner runner({{"measure"}}, settings);
  runner.run(test::trial_job("hang"));
  return 0;
}

int run(const std::string& mode) {
  const int fd = worker::child_socket;
  if (mode == "measure") {
    return worker::serve_runner(fd, [&] { return std::make_unique<test::ScriptedRunner>(fd); });
  }
  if (mode == "compile") {
    return worker::serve_compiler(fd, [&] { return std::make_unique<test::ScriptedCompiler>(fd); });
  }
  if (mode == "breeds")
    return worker::serve_compiler(fd, [] { return std::make_unique<BreedingCompiler>(); });
  if (mode == "no-device") return worker::serve_runner(fd, no_device);
  if (mode == "parent") return be_a_parent();
  if (mode == "mute") sleep_forever();
  if (mode == "chatters") {
    const char text[] = "hello, is anybody there?\n";
    return ::send(fd, text, sizeof text, MSG_NOSIGNAL) > 0 ? 0 : 1;
  }
  fmt::print(stderr, "cannot go on: {}\n", mode);
  return 7;
}

}  // namespace

int main(int argc, char** argv) {
  return argc > 1 ? run(argv[1]) : 2;
}
