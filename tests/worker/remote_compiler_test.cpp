#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/scripted_runner.hpp"
#include "tests/worker/processes.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/worker/child_process.hpp"

using namespace tuner;
using namespace tuner::worker;
using namespace std::chrono_literals;
using model::TrialStatus;
using test::mentions;

TEST_SUITE("tuner::worker compiler") {
  namespace {

  RemoteCompilerSettings hasty() {
    RemoteCompilerSettings settings;
    settings.deadline = 1s;
    return settings;
  }

  }  // namespace

  TEST_CASE("compiling in a child gives what compiling here gives") {
    RemoteCompiler compiler(test::child("compile"), hasty());
    CHECK(compiler.name() == "scripted 1");
    for (const char* entry : {"good", "syntax_error", "too_many_registers"}) {
      CAPTURE(entry);
      const model::CompileJob job = test::compile_job(entry);
      CHECK(compiler.compile(job) == test::ScriptedCompiler().compile(job));
    }
  }

  TEST_CASE("a compiler that hangs, dies or talks nonsense costs one compilation") {
    struct Row {
      std::string entry;
      TrialStatus status;
      std::string reason;
    };
    const Row rows[] = {
        {"slow_compile", TrialStatus::timeout, "compiling passed its deadline of 1 s and was stopped"},
        {"compile_crash", TrialStatus::crashed,
         "the compiler's process died: signal 11 (Segmentation fault)"},
        {"compile_abort", TrialStatus::crashed, "scripted last words"},
        {"compile_garbage", TrialStatus::crashed, "what arrived is not a frame"},
        {"compile_half_frame", TrialStatus::crashed, "exit code 0"},
        {"compile_wrong_message", TrialStatus::crashed, "unexpected message"},
    };
    RemoteCompiler compiler(test::child("compile"), hasty());
    for (const Row& row : rows) {
      CAPTURE(row.entry);
      const model::Compilation compilation = compiler.compile(test::compile_job(row.entry));
      CHECK(compilation.status == row.status);
      CHECK_MESSAGE(mentions(compilation.log, row.reason), compilation.log);
      CHECK(compilation.compile_ms >= (row.status == TrialStatus::timeout ? 1000 : 0));
      CHECK(test::no_child_left());
      CHECK(compiler.compile(test::compile_job("good")).status == TrialStatus::ok);
    }
  }

  TEST_CASE("a library with device code has its deadline several times") {
    model::CompileJob job = test::compile_job("slow_compile");
    job.host_library = true;
    job.source.front().name = "library.cu";
    RemoteCompilerSettings settings;
    settings.deadline = 100ms;
    RemoteCompiler compiler(test::child("compile"), settings);
    const model::Compilation compilation = compiler.compile(job);
    CHECK(compilation.status == TrialStatus::timeout);
    CHECK_MESSAGE(mentions(compilation.log, "deadline of 0.5 s"), compilation.log);
    CHECK(compilation.compile_ms >= 500);
  }

  TEST_CASE("a job larger than any socket buffer arrives whole") {
    model::CompileJob job = test::compile_job("good");
    job.source.front().text.assign(8 << 20, '\xff');
    RemoteCompilerSettings settings;
    RemoteCompiler compiler(test::child("compile"), settings);
    CHECK(compiler.compile(job) == test::ScriptedCompiler().compile(job));
  }

  TEST_CASE("an abandoned compilation ends with its child, long before its deadline") {
    RemoteCompilerSettings patient = hasty();
    patient.deadline = std::chrono::seconds(60);
    RemoteCompiler compiler(test::child("compile"), patient);
    std::atomic<bool> abandoned{false};
    std::thread impatience([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      abandoned = true;
    });
    const auto start = std::chrono::steady_clock::now();
    const auto compilation = compiler.compile_unless(test::compile_job("slow_compile"), abandoned);
    impatience.join();
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    CHECK(compilation.status == TrialStatus::timeout);
    CHECK(test::no_child_left());
    CHECK(compiler.compile(test::compile_job("good")).status == TrialStatus::ok);
  }

  TEST_CASE("a compiler that changed under a sweep is an error that names both") {
    RemoteCompilerSettings settings = hasty();
    settings.name = "scripted 0";
    RemoteCompiler compiler(test::child("compile"), settings);
    CHECK_THROWS_WITH_AS(compiler.compile(test::compile_job("good")),
                         "the compiler changed from `scripted 0` to `scripted 1` during the sweep",
                         model::Error);
  }

  TEST_CASE("what a compiler started dies with it at the deadline, and leaves no files") {
    const util::TemporaryFolder folder;
    model::CompileJob job = test::compile_job("good");
    job.source.front().name = folder.path() / "pid";
    RemoteCompiler compiler(test::child("breeds"), hasty());
    CHECK(compiler.compile(job).status == TrialStatus::timeout);
    pid_t grandchild = 0;
    std::ifstream(folder.path() / "pid") >> grandchild;
    REQUIRE(grandchild > 0);
    CHECK(test::soon([&] { return !test::alive(grandchild); }));
    std::string temporary;
    std::ifstream(folder.path() / "pid.folder") >> temporary;
    REQUIRE(std::filesystem::path(temporary).filename().string().starts_with("tuner-"));
    CHECK_FALSE(std::filesystem::exists(temporary));
    CHECK_FALSE(std::filesystem::exists(std::filesystem::path(temporary).parent_path()));
  }

  TEST_CASE("what a compiler started dies when the parent is killed, and leaves no files") {
    const util::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "pid";
    setenv("TUNER_TEST_FILE", file.c_str(), 1);
    const util::TemporaryFolder of_parent;
    const Spawned parent = spawn(test::child("breeding-parent"), of_parent.path());
    REQUIRE(test::soon([&] { return std::filesystem::exists(file); }));
    pid_t grandchild = 0;
    std::ifstream(file) >> grandchild;
    REQUIRE(grandchild > 0);
    CHECK(test::alive(grandchild));
    ::kill(parent.pid, SIGKILL);
    ::waitpid(parent.pid, nullptr, 0);
    CHECK(test::soon([&] { return !test::alive(grandchild); }));
    std::string temporary;
    std::ifstream(folder.path() / "pid.folder") >> temporary;
    CHECK(test::soon([&] { return !std::filesystem::exists(temporary); }));
    unsetenv("TUNER_TEST_FILE");
  }
}
