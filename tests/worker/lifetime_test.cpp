#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <memory>

#include "tests/worker/processes.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/worker/child_process.hpp"

using namespace tuner;
using namespace tuner::worker;
using namespace std::chrono_literals;
using model::TrialStatus;

TEST_SUITE("tuner::worker lifetime") {
  namespace {

  /// Reads from the parent's output until the id of its worker has come: `measuring worker 123 ready after 4
  /// ms`.
  pid_t worker_of(int output) {
    std::string text;
    test::soon([&] {
      std::array<char, 256> piece;
      const ssize_t got = ::read(output, piece.data(), piece.size());
      if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
      return text.find("ready") != std::string::npos;
    });
    int pid = 0;
    return std::sscanf(text.c_str(), "measuring worker %d", &pid) == 1 ? pid : 0;
  }

  }  // namespace

  TEST_CASE("owners are not copyable and destroying them cannot throw") {
    static_assert(!std::is_copy_constructible_v<ChildProcess>);
    static_assert(!std::is_copy_constructible_v<util::FileDescriptor>);
    static_assert(std::is_nothrow_destructible_v<ChildProcess>);
    static_assert(std::is_nothrow_destructible_v<RemoteRunner>);
    static_assert(std::is_nothrow_move_assignable_v<util::FileDescriptor>);
  }

  TEST_CASE("two hundred lost children leave no descriptor and no zombie") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    runner.run(test::trial_job("exit"));
    const int before = test::open_descriptors();
    for (int i = 0; i < 200; ++i) {
      CHECK(runner.run(test::trial_job(i % 2 == 0 ? "exit" : "garbage")).status == TrialStatus::crashed);
    }
    CHECK(test::open_descriptors() == before);
    CHECK(test::no_child_left());
    CHECK(runner.starts() == 201);
  }

  TEST_CASE("a child goes with its client") {
    { RemoteRunner runner(test::child("measure"), test::hasty()); }
    CHECK(test::no_child_left());
  }

  TEST_CASE("a child has four descriptors, whatever its parent has open") {
    const util::FileDescriptor leak(::dup(0));  // not closed on exec
    ChildProcess child(test::child("mute"));
    const std::string folder = "/proc/" + std::to_string(child.pid()) + "/fd";
    const auto count = [&] {
      int open = 0;
      for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++open;
      return open;
    };
    CHECK(test::soon([&] { return count() == 4; }));
    CHECK(std::filesystem::read_symlink(folder + "/0") == "/dev/null");
  }

  TEST_CASE("low descriptors that are free in the parent do not confuse the child's") {
    // With 0 to 2 closed the socket and the pipe get those numbers.
    std::array<util::FileDescriptor, 3> saved;
    for (int i = 0; i < 3; ++i) saved[i] = util::FileDescriptor(::fcntl(i, F_DUPFD_CLOEXEC, 10));
    for (int i = 0; i < 3; ++i) ::close(i);
    TrialStatus status = TrialStatus::skipped;
    {
      RemoteRunner runner(test::child("measure"), test::hasty());
      status = runner.run(test::trial_job("good")).status;
    }
    for (int i = 0; i < 3; ++i) ::dup2(saved[i].get(), i);
    CHECK(status == TrialStatus::ok);
  }

  TEST_CASE("a ready child ignores what a terminal or a service manager sends to everybody") {
    RemoteRunnerSettings settings = test::hasty();
    pid_t pid = 0;
    settings.worker.log = [&](const std::string& line) {
      std::sscanf(line.c_str(), "measuring worker %d", &pid);
    };
    RemoteRunner runner(test::child("measure"), settings);
    REQUIRE(pid > 0);
    CHECK(::getpgid(pid) == pid);
    rlimit core{};
    REQUIRE(::prlimit(pid, RLIMIT_CORE, nullptr, &core) == 0);
    CHECK(core.rlim_cur == 0);  // of a GPU's context it would be gigabytes
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::kill(pid, signal);
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
    CHECK(runner.starts() == 1);
  }

  TEST_CASE("a child outlives the thread that started it") {
    RemoteRunnerSettings settings = test::hasty();
    settings.device = model::DeviceInfo{};
    settings.device->uuid = "GPU-5c819fed";
    RemoteRunner runner(test::child("measure"), settings);
    std::thread([&] { runner.run(test::trial_job("good")); }).join();
    std::this_thread::sleep_for(50ms);
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
    CHECK(runner.starts() == 1);
  }

  TEST_CASE("a worker in the middle of a hang is gone when its parent is killed") {
    for (int i = 0; i < 5; ++i) {
      const util::TemporaryFolder folder;
      Spawned parent = spawn(test::child("parent"), folder.path());
      const pid_t worker = worker_of(parent.output.get());
      REQUIRE(worker > 0);
      CHECK(test::alive(worker));
      std::this_thread::sleep_for(std::chrono::milliseconds(7 * i));
      ::kill(parent.pid, SIGKILL);
      ::waitpid(parent.pid, nullptr, 0);
      CHECK(test::soon([&] { return !test::alive(worker); }, 5s));
    }
  }

  TEST_CASE("an answer beyond the limits is an error and the next job works") {
    RemoteRunnerSettings settings = test::hasty();
    settings.worker.limits.max_bytes = 4096;  // of what the parent accepts
    RemoteRunner runner(test::child("measure"), settings);
    model::TrialJob job = test::trial_job("good");
    job.policy.samples = 1000;
    const model::TrialOutcome outcome = runner.run(job);
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK_MESSAGE(test::mentions(outcome.detail, "exceeds the limit of 4096"), outcome.detail);
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
  }
}
