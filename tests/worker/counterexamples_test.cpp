// What a worker, or who talks to one, that is nearly right would do otherwise.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/scripted_runner.hpp"
#include "tests/worker/processes.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/model/error.hpp"
#include "tuner/worker/child_process.hpp"

using namespace tuner;
using namespace tuner::worker;
using namespace std::chrono_literals;
using model::TrialStatus;
using test::mentions;

TEST_SUITE("tuner::worker counterexamples") {
  namespace {

  /// A job that tells how large its reference is, and what that is called.
  model::TrialJob telling(const std::string& reference, std::size_t bytes) {
    model::TrialJob job = test::trial_job("tell_reference");
    job.reference_key = model::DigestBuilder().add(reference).finish();
    job.reference_binary.resize(bytes);
    return job;
  }

  /// A child that is spoken to frame by frame.
  class RawChild {
   public:
    RawChild() : m_child(test::child("measure")) { CHECK(std::holds_alternative<RunnerReady>(next())); }

    template <class Request>
    void send(const Request& request) {
      CHECK(std::holds_alternative<std::monostate>(m_child.send(encode(request), Clock::now() + 10s)));
    }
    /// Its next message that does not say what it is at.
    Message next() {
      for (;;) {
        Received received = m_child.receive(Clock::now() + 10s);
        auto* message = std::get_if<Message>(&received);
        REQUIRE(message);
        const bool says_where_it_is =
            std::holds_alternative<PhaseReport>(*message) || std::holds_alternative<FinalistReport>(*message);
        if (!says_where_it_is) return std::move(*message);
      }
    }
    /// Whether it has ended, or does within a while.
    bool is_gone() {
      const Received received = m_child.receive(Clock::now() + 500ms);
      return std::holds_alternative<ChildGone>(received);
    }
    /// What it answers to a trial that may be launched.
    Message answer(const TrialRequest& request) {
      send(request);
      send(Proceed{});
      return next();
    }

   private:
    ChildProcess m_child;
  };

  /// What a child prints that is sent `bytes` and ends with an error by them, or by itself where there are
  /// none.
  std::string last_words(const std::string& mode, const Bytes& bytes) {
    const util::TemporaryFolder folder;
    const Spawned child = spawn(test::child(mode), folder.path());
    if (!bytes.empty()) {
      const ssize_t sent = ::send(child.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      REQUIRE(sent == static_cast<ssize_t>(bytes.size()));
    }
    int status = 0;
    const bool ended = test::soon([&] { return ::waitpid(child.pid, &status, WNOHANG) == child.pid; });
    if (!ended) ::kill(child.pid, SIGKILL);
    REQUIRE(ended);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    std::string text(4096, '\0');
    const ssize_t got = ::read(child.output.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

  /// Has this thread's child take nothing more.
  void stop_only_child() {
    pid_t child = 0;
    std::ifstream("/proc/thread-self/children") >> child;
    REQUIRE(child > 0);
    ::kill(child, SIGSTOP);
  }

  /// A file that has the next child that looks for it say that there is no device.
  class Excuse {
   public:
    Excuse() : m_file(m_folder.path() / "excuse") { ::setenv("TUNER_TEST_EXCUSE", m_file.c_str(), 1); }
    ~Excuse() { ::unsetenv("TUNER_TEST_EXCUSE"); }
    Excuse(const Excuse&) = delete;
    Excuse& operator=(const Excuse&) = delete;
    void give() const { std::ofstream(m_file) << "once"; }

   private:
    util::TemporaryFolder m_folder;
    std::filesystem::path m_file;
  };

  }  // namespace

  TEST_CASE("a reference travels once, and again after so many others that its child forgot it") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    CHECK(mentions(runner.run(telling("one", 500)).detail, "500 bytes"));
    CHECK(mentions(runner.run(telling("one", 300)).detail, "500 bytes"));
    for (int i = 0; i < 20; ++i) runner.run(telling(std::to_string(i), 10));
    CHECK(mentions(runner.run(telling("one", 300)).detail, "300 bytes"));
  }

  TEST_CASE("a child forgets references when it is told to, and says so where one is relied on") {
    RawChild child;
    TrialRequest one{telling("one", 500), true, false};
    CHECK(std::holds_alternative<model::TrialOutcome>(child.answer(one)));
    TrialRequest again{telling("one", 0), false, false};
    CHECK(std::holds_alternative<model::TrialOutcome>(child.answer(again)));
    TrialRequest other{telling("two", 300), true, true};
    CHECK(std::holds_alternative<model::TrialOutcome>(child.answer(other)));
    child.send(again);
    const Message refused = child.next();
    REQUIRE(std::holds_alternative<Failure>(refused));
    CHECK(mentions(std::get<Failure>(refused).message, "a reference that was never sent"));
  }

  TEST_CASE("a trial that is followed by anything but leave to launch it is not launched") {
    RawChild child;
    child.send(TrialRequest{test::trial_job("good"), true, false});
    child.send(Prepare{});
    const Message refused = child.next();
    REQUIRE(std::holds_alternative<Failure>(refused));
    CHECK(mentions(std::get<Failure>(refused).message, "not allowed to be launched"));
  }

  TEST_CASE("a child whose device is lost answers, and leaves; one whose finalist failed stays") {
    for (const char* entry : {"illegal_address", "wrong_edge"}) {
      CAPTURE(entry);
      const bool leaves = std::string(entry) == "illegal_address";
      for (const bool is_final : {false, true}) {
        CAPTURE(is_final);
        RawChild child;
        if (is_final) {
          child.send(
              FinalRequest{{{test::trial_job("a"), true, false}, {test::trial_job(entry), true, false}}, 1});
          CHECK(std::get<model::FinalOutcome>(child.next()).failure.device_lost == leaves);
        } else {
          const Message answer = child.answer(TrialRequest{test::trial_job(entry), true, false});
          CHECK(std::get<model::TrialOutcome>(answer).device_lost == leaves);
        }
        CHECK(child.is_gone() == leaves);
      }
    }
  }

  TEST_CASE("a final that a finalist fails comes whole, with its culprit and why") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    for (const char* entry : {"wrong_edge", "illegal_address"}) {
      CAPTURE(entry);
      const model::FinalJob job{{test::trial_job("a"), test::trial_job(entry)}, 1};
      const model::FinalOutcome outcome = runner.run_final(job);
      CHECK(outcome == test::ScriptedRunner().run_final(job));
      CHECK(outcome.culprit == 1);
      CHECK(runner.run_final({{test::trial_job("a")}, 1}).complete());
    }
    CHECK(runner.starts() == 2);
  }

  TEST_CASE("a compiler that does not take a large job in time has passed its deadline") {
    RemoteCompilerSettings settings;
    settings.deadline = 3s;
    RemoteCompiler compiler(test::child("compile"), settings);
    REQUIRE(compiler.compile(test::compile_job("good")).status == TrialStatus::ok);
    stop_only_child();
    model::CompileJob large = test::compile_job("good");
    large.source.front().text.assign(8 << 20, ' ');
    const model::Compilation compilation = compiler.compile(large);
    CHECK(compilation.status == TrialStatus::timeout);
    CHECK_MESSAGE(mentions(compilation.log, "passed its deadline of 3 s"), compilation.log);
    CHECK(test::no_child_left());
    CHECK(compiler.compile(test::compile_job("good")).status == TrialStatus::ok);
  }

  TEST_CASE("a measuring process that does not take a large job in time is ended, and that is said") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    stop_only_child();
    const model::TrialOutcome outcome = runner.run(telling("large", 8 << 20));
    CHECK(outcome.status == TrialStatus::timeout);
    CHECK_MESSAGE(mentions(outcome.detail, "it did not take the job in time"), outcome.detail);
    CHECK(test::no_child_left());
    CHECK(runner.run(telling("large", 8 << 20)).detail == std::to_string(8 << 20) + " bytes");
  }

  TEST_CASE("a child that gets what makes no sense to it ends with an error, and says what that was") {
    const Bytes job = make_frame(encode(test::compile_job("good")));
    const Bytes trial = make_frame(encode(TrialRequest{test::trial_job("good"), true, false}));
    const std::string text = "this is not a frame at all, and never will be";
    CHECK(last_words("measure", Bytes(text.begin(), text.end())) == "worker: what arrived is not a frame\n");
    CHECK(mentions(last_words("measure", make_frame(Bytes(3, 0xff))), "worker: malformed message: "));
    CHECK(last_words("measure", job) == "worker: a measuring worker got a message that is no trial\n");
    CHECK(last_words("compile", trial) == "worker: a compile worker got a message that is no compile job\n");
  }

  TEST_CASE("an exception of a runner is its trial's outcome; of a compiler, or of a start, it is the end") {
    RawChild child;
    const Message answer = child.answer(TrialRequest{test::trial_job("throw"), true, false});
    REQUIRE(std::holds_alternative<model::TrialOutcome>(answer));
    CHECK(std::get<model::TrialOutcome>(answer).detail == "scripted exception");
    CHECK(last_words("compile", make_frame(encode(test::compile_job("compile_throw")))) ==
          "worker: scripted exception\n");
    CHECK(last_words("throws", {}) == "worker: scripted exception\n");
  }

  TEST_CASE("an error amid a job is thrown in the parent, with its hint and exit code") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    RemoteCompiler compiler(test::child("compile"), {});
    const std::vector<std::function<void()>> jobs = {
        [&] { runner.run(test::trial_job("throw_error")); },
        [&] {
          runner.run_final({{test::trial_job("a"), test::trial_job("throw_error")}, 1});
        },
        [&] { compiler.compile(test::compile_job("compile_throw_error")); }};
    for (const std::function<void()>& job : jobs) {
      try {
        job();
        FAIL("nothing was thrown");
      } catch (const model::Error& error) {
        CHECK(std::string(error.what()) == "scripted error");
        CHECK(error.hint() == "scripted hint");
        CHECK(error.code() == model::ExitCode::no_device);
      }
    }
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
    CHECK(compiler.compile(test::compile_job("good")).status == TrialStatus::ok);
  }

  TEST_CASE("children that end before they begin are told, and are so many and no more") {
    std::vector<std::string> lines;
    RemoteRunnerSettings settings = test::hasty();
    settings.worker.start_attempts = 3;
    settings.worker.log = [&](const std::string& line) { lines.push_back(line); };
    RemoteRunner runner(test::child("measure"), settings);
    CHECK_THROWS_WITH_AS(runner.run(test::trial_job("vanish")),
                         "the measuring process died 3 times before it began a trial: exit code 3",
                         model::Error);
    CHECK(runner.starts() == 3);
    CHECK(std::count(lines.begin(), lines.end(),
                     "the measuring process died before it began a trial: exit code 3") == 3);
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
  }

  TEST_CASE("a child is lost where its parent has left the end of children to the system") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    ::signal(SIGCHLD, SIG_IGN);
    const model::TrialOutcome outcome = runner.run(test::trial_job("exit"));
    ::signal(SIGCHLD, SIG_DFL);
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK_MESSAGE(mentions(outcome.detail, "died while timing: how it ended is unknown"), outcome.detail);
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
  }

  TEST_CASE("a worker that cannot start again at once is tried again; at its first start it is not") {
    const Excuse excuse;
    std::vector<std::string> lines;
    RemoteRunnerSettings settings = test::hasty();
    settings.worker.log = [&](const std::string& line) { lines.push_back(line); };
    RemoteRunner runner(test::child("measure"), settings);
    CHECK(runner.run(test::trial_job("crash")).status == TrialStatus::crashed);
    excuse.give();
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
    CHECK(runner.starts() == 2);
    const auto excuses = [&] {
      return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
        return mentions(line, "failed to start: no usable device");
      });
    };
    CHECK(excuses() == 1);

    excuse.give();
    CHECK_THROWS_AS(RemoteRunner(test::child("measure"), settings), model::Error);
    CHECK(excuses() == 1);
  }

  TEST_CASE("a worker of another kind is refused by what it says first, and not left behind") {
    CHECK_THROWS_WITH_AS(RemoteRunner(test::child("compile"), test::hasty()),
                         "the measuring worker started with an unexpected message", model::Error);
    CHECK_THROWS_WITH_AS(RemoteCompiler(test::child("measure"), {}),
                         "the compile worker started with an unexpected message", model::Error);
    CHECK(test::no_child_left());
  }

  TEST_CASE("one process compiles job after job") {
    int started = 0;
    RemoteCompilerSettings settings;
    settings.worker.log = [&](const std::string&) { ++started; };
    RemoteCompiler compiler(test::child("compile"), settings);
    for (int i = 0; i < 5; ++i) CHECK(compiler.compile(test::compile_job("good")).status == TrialStatus::ok);
    CHECK(started == 1);
  }

  TEST_CASE("signals that are blocked here are not in a child") {
    sigset_t blocked;
    sigset_t before;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const ChildProcess child(test::child("mute"));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::ifstream status("/proc/" + std::to_string(child.pid()) + "/status");
    std::string mask;
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigBlk:")) mask = line.substr(line.find_first_not_of("SigBlk:\t "));
    CHECK(mask == std::string(16, '0'));
  }
}
