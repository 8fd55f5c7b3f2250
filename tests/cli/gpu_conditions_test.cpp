#include "tuner/cli/gpu_conditions.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/fake_nvml.hpp"
#include "tests/support/run_program.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

using namespace tuner;

namespace {

std::vector<std::string> said_of(const std::string& kind, const std::string& uuid,
                                 std::vector<unsigned> processes) {
  test::fake_nvml().processes = std::move(processes);
  model::DeviceInfo device;
  device.kind = kind;
  device.uuid = uuid;
  cli::GpuNeighbours neighbours({device});
  return neighbours.sentences();
}

/// `pid 12, name` as far as /proc may be believed.
std::string this_process() {
  std::string name;
  std::ifstream("/proc/self/comm") >> name;
  const bool believed = std::filesystem::read_symlink("/proc/self/ns/pid") == "pid:[4026531836]";
  return fmt::format("pid {}{}", ::getpid(), believed ? ", " + name : "");
}

/// A number that no process has.
constexpr unsigned nobody = 2'000'000'000;

/// A machine whose NVML writes down what is done to its clocks.
struct Machine {
  Machine() {
    setenv("FAKE_NVML_LOG", log.c_str(), 1);
    setenv("LD_LIBRARY_PATH", FAKE_NVML_FOLDER, 1);
    unsetenv("FAKE_NVML_REFUSES");
  }
  std::string done() const { return std::filesystem::exists(log) ? test::read_text(log) : ""; }
  /// False where it did not come to that in time.
  bool comes_to(const std::string& wanted) const {
    for (int i = 0; i < 500 && done() != wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return done() == wanted;
  }
  /// The process of a guard that locks the clock in another process, whose id it is.
  pid_t lock_in_child() const {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const cli::ClockGuard guard({"GPU-fake"}, 1200, TUNER_BINARY);
      for (;;) ::pause();
    }
    return child;
  }

  test::TemporaryFolder folder;
  std::string log = folder / "clocks.log";
};

model::DeviceInfo gpu() {
  model::DeviceInfo device;
  device.id = "cuda:0";
  device.kind = "cuda";
  device.uuid = "GPU-fake";
  return device;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const model::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("tuner::cli gpu neighbours") {
  TEST_CASE("a GPU of one's own has nothing to be said of it") {
    CHECK(said_of("cuda", "GPU-fake", {}).empty());
  }

  TEST_CASE("another process on the GPU is named") {
    const std::vector<std::string> this_one = {
        fmt::format("another process ({}) is using this GPU: times may be off", this_process())};
    CHECK(said_of("cuda", "GPU-fake", {static_cast<unsigned>(::getpid())}) == this_one);
    CHECK(said_of("cuda", "GPU-fake", {nobody}) ==
          std::vector<std::string>{"another process (pid 2000000000) is using this GPU: times may be off"});
  }

  TEST_CASE("several are all named") {
    CHECK(said_of("cuda", "GPU-fake", {nobody, nobody + 1}) ==
          std::vector<std::string>{
              "other processes (pid 2000000000; pid 2000000001) are using this GPU: times may be off"});
  }

  TEST_CASE("of several GPUs the one that is used is named") {
    test::fake_nvml().processes = {nobody};
    std::vector<model::DeviceInfo> gpus(2);
    gpus[0].kind = gpus[1].kind = "cuda";
    gpus[0].id = "cuda:0";
    gpus[0].uuid = "GPU-another";
    gpus[1].id = "cuda:1";
    gpus[1].uuid = "GPU-fake";
    cli::GpuNeighbours neighbours(gpus);
    CHECK(neighbours.sentences() ==
          std::vector<std::string>{"another process (pid 2000000000) is using cuda:1: times may be off"});
  }

  TEST_CASE("on another GPU, on none, or where the library refuses, nothing is said") {
    CHECK(said_of("cuda", "GPU-another", {nobody}).empty());
    CHECK(said_of("cpu", "GPU-fake", {nobody}).empty());
    test::fake_nvml().answers = false;
    CHECK(said_of("cuda", "GPU-fake", {nobody}).empty());
    test::fake_nvml().answers = true;
  }
}

TEST_SUITE("tuner::cli clocks") {
  TEST_CASE("a clock is locked as long as its guard lives") {
    const Machine machine;
    {
      const cli::ClockGuard guard({"GPU-fake"}, 1200, TUNER_BINARY);
      CHECK(machine.done() == "lock 1200 1200\n");
    }
    CHECK(machine.done() == "lock 1200 1200\nfree\n");
  }

  TEST_CASE("a clock is let go when the program that locked it is killed, and its whole group with it") {
    const Machine machine;
    const pid_t child = machine.lock_in_child();
    REQUIRE(machine.comes_to("lock 1200 1200\n"));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(machine.comes_to("lock 1200 1200\nfree\n"));
  }

  TEST_CASE("a killed measuring process leaves the clock locked, and no survivor keeps it so") {
    const Machine machine;
    const auto measuring = [] {
      util::Program program{"/bin/sleep", {"sleep", "60"}, util::environment_without({})};
      return util::spawn(program);
    };
    int told[2];
    REQUIRE(pipe(told) == 0);
    const pid_t tuner = fork();
    REQUIRE(tuner >= 0);
    if (tuner == 0) {
      const cli::ClockGuard guard({"GPU-fake"}, 1200, TUNER_BINARY);
      const pid_t killed = measuring();
      kill(killed, SIGKILL);
      waitpid(killed, nullptr, 0);
      const pid_t left = measuring();
      if (write(told[1], &left, sizeof left) != sizeof left) _exit(1);
      for (;;) ::pause();
    }
    pid_t left = -1;
    REQUIRE(read(told[0], &left, sizeof left) == sizeof left);
    CHECK(machine.done() == "lock 1200 1200\n");
    kill(tuner, SIGKILL);
    waitpid(tuner, nullptr, 0);
    CHECK(machine.comes_to("lock 1200 1200\nfree\n"));
    kill(left, SIGKILL);
  }

  TEST_CASE("a clock is let go when the guard is killed") {
    const Machine machine;
    {
      const cli::ClockGuard guard({"GPU-fake"}, 1200, TUNER_BINARY);
      const std::string children =
          "/proc/" + std::to_string(getpid()) + "/task/" + std::to_string(getpid()) + "/children";
      const std::string listed = test::read_text(children);
      REQUIRE_FALSE(listed.empty());
      kill(static_cast<pid_t>(std::stoi(listed)), SIGKILL);
    }
    CHECK(machine.done() == "lock 1200 1200\nfree\n");
  }

  TEST_CASE("where it is not permitted, the message says what it takes, and nothing stays locked") {
    const Machine machine;
    setenv("FAKE_NVML_REFUSES", "1", 1);
    const std::string error = error_of([] { cli::ClockGuard({"GPU-fake"}, 1200, TUNER_BINARY); });
    CHECK(error == "cannot lock the clock at 1200 MHz: Insufficient Permissions");
    unsetenv("FAKE_NVML_REFUSES");
    CHECK(error_of([] { cli::ClockGuard({"GPU-other"}, 1200, TUNER_BINARY); }).find("does not show") !=
          std::string::npos);
    CHECK(machine.done() == "free\n");
  }

  TEST_CASE("only clocks that the GPU has are taken, and no CPU's") {
    CHECK(cli::parse_clocks("1200, 1965,1200") == std::vector<int>{1200, 1965});
    CHECK(error_of([] { cli::parse_clocks("1200,fast"); }) == "--clock: 'fast' is no clock in MHz");
    CHECK(error_of([] { cli::require_clock({gpu()}, 1200); }).empty());
    CHECK(error_of([] { cli::require_clock({gpu()}, 1210); }) ==
          "--clock 1210: cuda:0 has no such clock; the nearest is 1200");
    model::DeviceInfo cpu;
    cpu.id = cpu.kind = "cpu";
    CHECK(error_of([&] { cli::require_clock({cpu}, 1200); }) ==
          "--clock 1200: the clock of cpu cannot be locked");
    CHECK(cli::clocks_text({gpu()}) == "cuda:0: 1200, 1965, 1980 MHz\n");
  }

  TEST_CASE("NVML's millijoules are told in joules") {
    const device::cuda::Nvml nvml;
    CHECK(nvml.energy_j("GPU-fake") == 12.345);
    CHECK_FALSE(nvml.energy_j("GPU-other"));
  }
}
