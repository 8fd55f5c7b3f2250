// A worker with a scripted device or compiler in a real process, and some that fail in their first second.
//   worker_child measure|compile|mute|prints-and-dies|no-device|throws|chatters|breeds|parent|breeding-parent
// Its socket is descriptor 3, as ChildProcess leaves it.
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/scripted_runner.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"
#include "tuner/worker/remote_workers.hpp"
#include "tuner/worker/serve.hpp"

namespace {

using namespace tuner;

void sleep_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// A compiler that starts a program with a child of its own, as nvcc is one, in a temporary folder, says
/// their names in files beside job.source, and hangs.
class BreedingCompiler : public compile::Compiler {
 public:
  std::string name() const override { return "breeding 1"; }
  model::Compilation compile(const model::CompileJob& job) override {
    const util::TemporaryFolder folder;
    const std::string file = job.source.front().name;
    std::ofstream(file + ".folder") << folder.path().string() << std::endl;
    const std::string script = fmt::format("sleep 3600 & echo $! > {0}.new; mv {0}.new {0}; wait", file);
    util::run_command({"/bin/sh", "-c", script}, folder.path(), std::chrono::hours(1),
                      util::CommandGroup::callers);
    sleep_forever();
    return {};
  }
};

std::unique_ptr<model::TrialRunner> no_device() {
  throw model::Error("no usable device: libcuda.so.1 was not found", "install the driver",
                     model::ExitCode::no_device);
}

std::unique_ptr<model::TrialRunner> throwing() {
  throw std::runtime_error("scripted exception");
}

/// Whether a test excuses this child, once: there is a file, which is removed.
bool is_excused() {
  const char* file = std::getenv("TUNER_TEST_EXCUSE");
  return file != nullptr && std::remove(file) == 0;
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

/// Likewise, whose child's compiler hangs.
int be_a_compiling_parent(const char* file) {
  model::CompileJob job = test::compile_job("good");
  job.source.front().name = file;
  worker::RemoteCompiler({{"breeds"}}, {}).compile(job);
  return 0;
}

int run(const std::string& mode) {
  const int fd = worker::child_socket;
  if (mode == "measure" && is_excused()) return worker::serve_runner(fd, no_device);
  if (mode == "measure") {
    return worker::serve_runner(fd, [&] { return std::make_unique<test::ScriptedRunner>(fd); });
  }
  if (mode == "compile") {
    return worker::serve_compiler(fd, [&] { return std::make_unique<test::ScriptedCompiler>(fd); });
  }
  if (mode == "breeds")
    return worker::serve_compiler(fd, [] { return std::make_unique<BreedingCompiler>(); });
  if (mode == "breeding-parent") return be_a_compiling_parent(std::getenv("TUNER_TEST_FILE"));
  if (mode == "throws") return worker::serve_runner(fd, throwing);
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
