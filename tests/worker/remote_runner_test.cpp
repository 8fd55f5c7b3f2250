#include <doctest/doctest.h>
#include <signal.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "tests/support/scripted_runner.hpp"
#include "tests/support/variable.hpp"
#include "tests/worker/processes.hpp"
#include "tests/worker/samples.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;
using namespace tuner::worker;
using namespace std::chrono_literals;
using model::TrialOutcome;
using model::TrialPhase;
using model::TrialStatus;
using test::mentions;

TEST_SUITE("tuner::worker runner") {
  namespace {

  /// What the job gives where nothing else goes on.
  TrialOutcome alone(const model::TrialJob& job) {
    return test::ScriptedRunner().run(job);
  }

  model::Error start_error(const std::string& mode, RemoteRunnerSettings settings) {
    try {
      RemoteRunner runner(test::child(mode), std::move(settings));
    } catch (const model::Error& error) {
      return error;
    }
    return model::Error("it started");
  }

  }  // namespace

  TEST_CASE("a good job gives what it gives without a process") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    CHECK(runner.device() == test::scripted_device());
    for (const char* entry : {"a", "b", "slow", "wrong_result", "does_nothing"}) {
      CAPTURE(entry);
      const model::TrialJob job = test::trial_job(entry);
      CHECK(runner.run(job) == alone(job));
    }
    CHECK(runner.starts() == 1);
  }

  TEST_CASE("every misbehaviour gets its status and its reason, and the next job its right result") {
    struct Row {
      std::string entry;
      TrialStatus status;
      std::string reason;
    };
    const std::vector<Row> rows = {
        {"crash", TrialStatus::crashed, "died while timing: signal 11 (Segmentation fault)"},
        {"abort", TrialStatus::crashed, "signal 6 (Aborted); it printed:\nscripted last words"},
        {"exit", TrialStatus::crashed, "died while timing: exit code 3"},
        {"hang", TrialStatus::timeout, "deadline of 1 s while timing; its process was killed"},
        {"throw", TrialStatus::crashed, "scripted exception"},
        {"garbage", TrialStatus::crashed, "what arrived is not a frame"},
        {"half_frame", TrialStatus::crashed, "died while timing: exit code 0"},
        {"half_frame_hang", TrialStatus::timeout, "while timing"},
        {"huge_frame", TrialStatus::crashed, "a frame of 4294967295 bytes exceeds the limit"},
        {"deep_frame", TrialStatus::crashed, "nested deeper than 32"},
        {"wrong_message", TrialStatus::crashed, "unexpected message"},
        {"illegal_address", TrialStatus::crashed, "scripted illegal_address"},
    };
    RemoteRunner runner(test::child("measure"), test::hasty());
    const model::TrialJob good = test::trial_job("good");
    int starts = 1;
    for (const Row& row : rows) {
      CAPTURE(row.entry);
      const TrialOutcome outcome = runner.run(test::trial_job(row.entry));
      CHECK(outcome.status == row.status);
      CHECK_MESSAGE(mentions(outcome.detail, row.reason), outcome.detail);
      CHECK(outcome.device_lost);
      CHECK(test::no_child_left());
      CHECK(runner.run(good) == alone(good));
      CHECK(runner.starts() == ++starts);
    }
  }

  TEST_CASE("a final gives what it gives without a process, and a lost child fails it as it would a trial") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    const model::FinalJob good{{test::trial_job("a"), test::trial_job("b"), test::trial_job("c")}, 1};
    const model::FinalOutcome alone = test::ScriptedRunner().run_final(good);
    CHECK(alone.complete());
    CHECK(runner.run_final(good) == alone);
    for (const auto& [entry, status] :
         {std::pair("crash", TrialStatus::crashed), std::pair("hang", TrialStatus::timeout),
          std::pair("half_frame", TrialStatus::crashed), std::pair("throw", TrialStatus::crashed)}) {
      CAPTURE(entry);
      model::FinalJob bad = good;
      bad.trials.insert(bad.trials.begin() + 1, test::trial_job(entry));
      const model::FinalOutcome outcome = runner.run_final(bad);
      CHECK_FALSE(outcome.complete());
      // An exception says nothing of who was at work.
      CHECK(outcome.culprit.has_value() == (std::string_view(entry) != "throw"));
      CHECK(outcome.culprit.value_or(1) == 1);
      CHECK(outcome.failure.status == status);
      CHECK(outcome.failure.device_lost);
      CHECK(runner.run_final(good) == alone);
    }
    CHECK(runner.starts() == 5);
  }

  TEST_CASE("a final and a count go ahead behind a trial that ended before it was launched") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    const model::FinalJob final{{test::trial_job("a"), test::trial_job("b")}, 1};
    const model::ProfileJob count{test::trial_job("a"), {"dram__bytes_read.sum"}};
    CHECK(runner.run(test::trial_job("unprepared")).status != TrialStatus::ok);
    CHECK(runner.run_final(final).complete());
    CHECK(runner.run(test::trial_job("unprepared")).status != TrialStatus::ok);
    CHECK(runner.profile(count) == test::ScriptedRunner().profile(count));
    CHECK(runner.starts() == 1);
  }

  TEST_CASE("counting gives what it gives without a process, and a lost child fails it as it would a trial") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    const model::ProfileJob good{test::trial_job("a"), {"dram__bytes_read.sum", "smsp__inst_executed.sum"}};
    const model::Profile alone = test::ScriptedRunner().profile(good);
    CHECK(alone.counters.size() == 2);
    CHECK(runner.profile(good) == alone);
    for (const auto& [entry, status] :
         {std::pair("crash", TrialStatus::crashed), std::pair("hang", TrialStatus::timeout)}) {
      CAPTURE(entry);
      const model::Profile lost = runner.profile({test::trial_job(entry), good.metrics});
      CHECK(lost.outcome.status == status);
      CHECK(lost.outcome.device_lost);
      CHECK(lost.counters.empty());
      CHECK(runner.profile(good) == alone);
    }
  }

  TEST_CASE(
      "a final that names a finalist which is not there, or may not win, is refused, and it is said why") {
    struct Row {
      std::string entry;
      std::string reason;
    };
    const std::vector<Row> rows = {
        {"odd_culprit", "finalist 2 of 2 as the culprit"},
        {"odd_fastest", "finalist 2 of 2 as the fastest"},
        {"odd_standings", "1 standings of 2 finalists"},
        {"odd_winner", "a baseline as the fastest"},
    };
    RemoteRunner runner(test::child("measure"), test::hasty());
    for (const Row& row : rows) {
      CAPTURE(row.entry);
      model::FinalJob job{{test::trial_job("a"), test::trial_job(row.entry)}, 1};
      if (row.entry == "odd_winner") job.trials[1].role = model::Role::baseline;
      const model::FinalOutcome outcome = runner.run_final(job);
      CHECK_FALSE(outcome.complete());
      CHECK_FALSE(outcome.culprit);
      CHECK(outcome.failure.status == TrialStatus::crashed);
      CHECK(outcome.failure.device_lost);
      CHECK_MESSAGE(mentions(outcome.failure.detail, row.reason), outcome.failure.detail);
      CHECK(test::no_child_left());
      job.trials.pop_back();
      CHECK(runner.run_final(job).complete());
    }
  }

  TEST_CASE("nothing is launched before the notice is done, and an error in it leaves no job behind") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    std::vector<std::string> order;
    runner.report_phases_to([&](TrialPhase phase) { order.emplace_back(to_string(phase)); });
    const model::TrialJob good = test::trial_job("good");
    CHECK(runner.run_with_notice(good, [&] { order.emplace_back("notice"); }) == alone(good));
    REQUIRE(order.size() == 5);
    CHECK(order.front() == "notice");
    for (const char* entry : {"crash", "good"}) {
      CHECK_THROWS_AS(runner.run_with_notice(test::trial_job(entry), [] { throw model::Error("disk full"); }),
                      model::Error);
    }
    CHECK(test::no_child_left());
    CHECK(runner.run(good) == alone(good));
  }

  TEST_CASE("what a kernel prints is dropped and said, and neither hangs nor ends the worker") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    const TrialOutcome outcome = runner.run(test::trial_job("flood"));
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.detail == "printed 8388608 bytes, which were dropped");
    CHECK(runner.run(test::trial_job("quiet")).detail.empty());
    CHECK(runner.starts() == 1);
  }

  TEST_CASE("a reference is sent once, and again to a child that has not got it") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    model::TrialJob job = test::full_trial_job();
    const auto run_with = [&](std::int64_t reference, const std::string& entry) {
      job.reference_key = model::DigestBuilder().add(reference).finish();
      job.plan.steps.front().entry = entry;
      return runner.run(job).status;
    };
    // A child that misses a reference dies of it, so a status of ok says that all arrived. More than it
    // keeps:
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 40; ++i) CHECK(run_with(i, "good") == TrialStatus::ok);
    }
    CHECK(run_with(39, "crash") == TrialStatus::crashed);
    CHECK(run_with(39, "good") == TrialStatus::ok);
    CHECK(runner.starts() == 2);
  }

  TEST_CASE("what a child was sent of a reference is what its trials are given, in finals too") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    model::TrialJob job = test::trial_job("tell_reference");
    job.reference_key = model::DigestBuilder().add("one").finish();
    job.reference_binary = std::vector<std::byte>(500);
    job.reference_kernels = test::full_trial_job().reference_kernels;
    for (int i = 0; i < 2; ++i) CHECK(runner.run(job).detail == "500 bytes r");
    model::TrialJob other = job;
    other.reference_key = model::DigestBuilder().add("two").finish();
    other.reference_binary.resize(300);
    CHECK(runner.run(other).detail == "300 bytes r");
    CHECK(runner.run(job).detail == "500 bytes r");
    const model::FinalJob final{{job, other, job}, 3};
    CHECK(runner.run_final(final) == test::ScriptedRunner().run_final(final));
    // A key of zeros names nothing, so that its reference travels each time.
    other.reference_key = {};
    CHECK(runner.run(other).detail == "300 bytes r");
    other.reference_binary.resize(200);
    CHECK(runner.run(other).detail == "200 bytes r");
    CHECK(runner.starts() == 1);
  }

  TEST_CASE(
      "a child waits for its notice before it does what might kill it, and takes it where it launches "
      "nothing") {
    RemoteRunnerSettings settings = test::hasty();
    pid_t pid = 0;
    settings.worker.log = [&](const std::string& line) {
      std::sscanf(line.c_str(), "measuring worker %d", &pid);
    };
    RemoteRunner runner(test::child("measure"), settings);
    for (const char* entry : {"exit", "crash_probing"}) {  // a probe is a launch, too
      CAPTURE(entry);
      bool lived = false;
      const TrialOutcome outcome = runner.run_with_notice(test::trial_job(entry), [&] {
        std::this_thread::sleep_for(100ms);  // without waiting it would have ended long before
        lived = test::alive(pid);
      });
      CHECK(lived);
      CHECK(outcome.status == TrialStatus::crashed);
    }
    int notices = 0;
    const auto count = [&] { ++notices; };
    for (int i = 0; i < 2; ++i) {
      CHECK(runner.run_with_notice(test::trial_job("unprepared"), count) ==
            alone(test::trial_job("unprepared")));
      CHECK(runner.run_with_notice(test::trial_job("good"), count).status == TrialStatus::ok);
    }
    CHECK(notices == 4);
    CHECK(runner.starts() == 3);
  }

  TEST_CASE("a child that left between two trials is no trial's fault, and its notice is given once") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    const model::TrialJob good = test::trial_job("good");
    for (int i = 0; i < 5; ++i) {
      CHECK(runner.run(test::trial_job("leave")).status == TrialStatus::ok);
      int notices = 0;
      CHECK(runner.run_with_notice(good, [&] { ++notices; }) == alone(good));
      CHECK(notices == 1);
    }
    CHECK(runner.starts() == 6);
  }

  TEST_CASE(
      "what is lost while inputs are made is the problem's fault, in a probe the binary's, else the "
      "trial's") {
    RemoteRunnerSettings settings = test::hasty();
    settings.prepare_deadline = 200ms;
    RemoteRunner runner(test::child("measure"), settings);
    const TrialOutcome crashed = runner.run(test::trial_job("crash_preparing"));
    CHECK(crashed.status == TrialStatus::crashed);
    CHECK(crashed.subject == model::Subject::problem);
    CHECK_MESSAGE(mentions(crashed.detail, "died while preparing"), crashed.detail);
    const TrialOutcome late = runner.run(test::trial_job("hang_preparing"));
    CHECK(late.status == TrialStatus::timeout);
    CHECK(late.subject == model::Subject::problem);
    CHECK_MESSAGE(mentions(late.detail, "passed its deadline of 0.2 s while preparing"), late.detail);
    CHECK_MESSAGE(mentions(late.detail, "--prepare-timeout-s sets how long that may take"), late.detail);
    CHECK_MESSAGE(mentions(late.detail, "it printed:\nscripted thoughts"), late.detail);
    CHECK(runner.run(test::trial_job("crash_probing")).subject == model::Subject::binary);
    CHECK(runner.run(test::trial_job("crash")).subject == model::Subject::trial);
  }

  TEST_CASE("a trial whose child dies while it prepares is tried in another, and not for ever") {
    const util::TemporaryFolder folder;
    folder.write("crash", "");
    const test::Variable file("TUNER_TEST_CRASH", folder.path() / "crash");
    RemoteRunner runner(test::child("measure"), test::hasty());
    const model::TrialJob job = test::trial_job("crash_preparing_once");
    const TrialOutcome again = runner.run(job);
    CHECK(again == alone(job));
    CHECK(runner.starts() == 2);
    CHECK(runner.run(test::trial_job("crash_preparing")).subject == model::Subject::problem);
    CHECK(runner.starts() == 2 + test::hasty().worker.start_attempts - 1);
  }

  TEST_CASE("who prepares for too long is given up when it is asked to, and others are run after it") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    bool is_late = false;
    runner.report_phases_to([&](TrialPhase phase) { is_late = phase == TrialPhase::preparing; });
    runner.give_up_preparing_if([&] { return is_late; });
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(runner.run(test::trial_job("hang_preparing")), model::NotPrepared);
    CHECK(std::chrono::steady_clock::now() - began < test::hasty().prepare_deadline);
    is_late = false;
    runner.report_phases_to(nullptr);
    const model::TrialJob job = test::trial_job("good");
    CHECK(runner.run(job) == alone(job));
    CHECK(runner.starts() == 2);
  }

  TEST_CASE("a child that somebody kills is said to have been, and why that may be") {
    RemoteRunnerSettings settings = test::hasty();
    pid_t pid = 0;
    settings.worker.log = [&](const std::string& line) {
      std::sscanf(line.c_str(), "measuring worker %d", &pid);
    };
    RemoteRunner runner(test::child("measure"), settings);
    runner.report_phases_to([&](TrialPhase phase) {
      REQUIRE(pid > 0);  // 0 would be this test and all beside it
      if (phase == TrialPhase::timing) ::kill(pid, SIGKILL);
    });
    const TrialOutcome outcome = runner.run(test::trial_job("hang"));
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK_MESSAGE(mentions(outcome.detail, "signal 9 (Killed; out of memory?)"), outcome.detail);
  }

  TEST_CASE("an answer larger than any socket buffer arrives whole") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    model::TrialJob job = test::trial_job("good");
    job.policy.samples = 100'000;
    CHECK(runner.run(job) == alone(job));
  }

  TEST_CASE("phases are passed on") {
    RemoteRunner runner(test::child("measure"), test::hasty());
    std::vector<TrialPhase> phases;
    runner.report_phases_to([&](TrialPhase phase) { phases.push_back(phase); });
    runner.run(test::trial_job("good"));
    CHECK(phases == std::vector<TrialPhase>{TrialPhase::preparing, TrialPhase::loading, TrialPhase::verifying,
                                            TrialPhase::timing});
    phases.clear();
    runner.run(test::trial_job("crash"));
    CHECK(phases.back() == TrialPhase::clearing);
    CHECK(std::ranges::count(phases, TrialPhase::clearing) == 1);
  }

  TEST_CASE("a deadline is the larger of a constant and a multiple of the best so far") {
    const RemoteRunnerSettings settings;
    model::TrialJob job;
    job.policy.time_limit_ns = 2e9;
    CHECK(phase_deadline(settings, job, TrialPhase::loading) == 5s);
    CHECK(phase_deadline(settings, job, TrialPhase::verifying) == 5s);
    CHECK(phase_deadline(settings, job, TrialPhase::timing) == 7s);
    CHECK(phase_deadline(settings, job, TrialPhase::preparing) == 120s);
    job.best_ns = 1e9;
    CHECK(phase_deadline(settings, job, TrialPhase::loading) == 20s);
    CHECK(phase_deadline(settings, job, TrialPhase::verifying) == 20s);
    CHECK(phase_deadline(settings, job, TrialPhase::timing) == 142s);
    model::TrialJob library = job;  // loads half a gigabyte, and may try things out
    library.plan.steps.emplace_back().kind = model::Step::Kind::call;
    CHECK(phase_deadline(settings, library, TrialPhase::loading) == 120s);
    CHECK(phase_deadline(settings, library, TrialPhase::verifying) == 120s);
    CHECK(phase_deadline(settings, library, TrialPhase::timing) == 142s);
    job.best_ns = 1e300;  // nonsense must not overflow into a deadline in the past
    CHECK(phase_deadline(settings, job, TrialPhase::timing) > 5s);
  }

  TEST_CASE("a final's deadline is the sum of its finalists', each by its own best") {
    RemoteRunnerSettings settings;
    model::FinalJob final;
    final.trials.resize(3);
    for (model::TrialJob& trial : final.trials) trial.policy.time_limit_ns = 2e9;
    CHECK(phase_deadline(settings, final, TrialPhase::loading) == 15s);
    CHECK(phase_deadline(settings, final, TrialPhase::timing) == 21s);
    CHECK(phase_deadline(settings, final, TrialPhase::preparing) == 360s);
    final.trials[1].best_ns = 1e9;
    CHECK(phase_deadline(settings, final, TrialPhase::verifying) == 30s);
    CHECK(phase_deadline(settings, final, TrialPhase::timing) == 7s + 142s + 7s);
  }

  TEST_CASE(
      "timing has time for the samples that settle whether a trial is dropped, if they are more than six") {
    const RemoteRunnerSettings settings;
    model::TrialJob job;
    job.best_ns = 1e9;
    job.policy.time_limit_ns = 0;
    job.policy.cuts = {{2, 1.5}};
    CHECK(phase_deadline(settings, job, TrialPhase::timing) == 140s);
    job.policy.cuts = {{2, 1.5}, {9, 1.1}, {4, 1.2}};
    CHECK(phase_deadline(settings, job, TrialPhase::timing) == 200s);
  }

  TEST_CASE("a longer deadline lets a slow kernel through") {
    RemoteRunnerSettings settings = test::hasty();
    settings.run_deadline = 100ms;
    model::TrialJob job = test::trial_job("slow");
    RemoteRunner runner(test::child("measure"), settings);
    CHECK(runner.run(job).status == TrialStatus::timeout);
    job.best_ns = 100e6;  // 20 times that, for each of four launches
    CHECK(runner.run(job).status == TrialStatus::ok);
  }

  TEST_CASE("with a known device no child is started before the first trial") {
    RemoteRunnerSettings settings = test::hasty();
    settings.device = test::scripted_device();
    RemoteRunner runner(test::child("measure"), settings);
    CHECK(runner.device().name == "Scripted GPU");
    CHECK(runner.starts() == 0);
    CHECK(test::no_child_left());
    SUBCASE("unless it is told to prepare") {
      runner.prepare();
      CHECK(runner.starts() == 1);
    }
    CHECK(runner.run(test::trial_job("good")).status == TrialStatus::ok);
    CHECK(runner.starts() == 1);
  }

  TEST_CASE("another device than the known one is an error that names both") {
    RemoteRunnerSettings settings = test::hasty();
    settings.device = test::scripted_device();
    settings.device->uuid = "GPU-another";
    RemoteRunner runner(test::child("measure"), settings);
    CHECK_THROWS_WITH_AS(
        runner.run(test::trial_job("good")),
        "device scripted was Scripted GPU (GPU-another) and is now Scripted GPU (GPU-5c819fed)",
        model::Error);
    CHECK(test::no_child_left());
  }

  TEST_CASE("a worker that cannot start is an error with what it printed") {
    const std::string what = start_error("prints-and-dies", test::hasty()).what();
    CHECK_MESSAGE(mentions(what, "the measuring worker did not start in 3 attempts: exit code 7"), what);
    CHECK_MESSAGE(mentions(what, "cannot go on: prints-and-dies"), what);
    CHECK(mentions(start_error("chatters", test::hasty()).what(), "what arrived is not a frame"));
  }

  TEST_CASE("a worker that never becomes ready is killed at its deadline") {
    RemoteRunnerSettings settings = test::hasty();
    settings.worker.start_deadline = 50ms;
    settings.worker.start_attempts = 2;
    CHECK(mentions(start_error("mute", settings).what(),
                   "did not start in 2 attempts: not ready after 0.05 s"));
    CHECK(test::no_child_left());
  }

  TEST_CASE("an error of the child's own is thrown in the parent, with its hint and exit code") {
    const model::Error error = start_error("no-device", test::hasty());
    CHECK(std::string(error.what()) == "no usable device: libcuda.so.1 was not found");
    CHECK(error.hint() == "install the driver");
    CHECK(error.code() == model::ExitCode::no_device);
    CHECK(test::no_child_left());
  }

  TEST_CASE("a program that is not there is an error that names it") {
    CHECK_THROWS_WITH_AS(RemoteRunner({{}, "/nonexistent/tuner"}, test::hasty()),
                         "cannot start a worker process: /nonexistent/tuner: No such file or directory",
                         model::Error);
  }

  TEST_CASE("each start is logged with what it cost") {
    std::vector<std::string> lines;
    RemoteRunnerSettings settings = test::hasty();
    settings.worker.log = [&](const std::string& line) { lines.push_back(line); };
    RemoteRunner runner(test::child("measure"), settings);
    runner.run(test::trial_job("crash"));
    runner.run(test::trial_job("good"));
    REQUIRE(lines.size() == 2);
    CHECK_MESSAGE(mentions(lines[1], "ready after "), lines[1]);
  }
}
