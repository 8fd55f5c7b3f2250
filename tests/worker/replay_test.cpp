#include "tuner/device/replay/replay.hpp"

#include <doctest/doctest.h>

#include "tests/worker/samples.hpp"

using namespace tuner;
using namespace tuner::device::replay;
using model::TrialStatus;

TEST_SUITE("tuner::device::replay") {
  namespace {

  model::Digest key(int number) {
    return model::DigestBuilder().add(std::int64_t{number}).finish();
  }

  model::TrialRecord record(int number, TrialStatus status) {
    model::TrialRecord record;
    record.key = key(number);
    record.outcome.status = status;
    return record;
  }

  model::TrialOutcome replay(ReplayRunner& runner, int number) {
    model::TrialJob job;
    job.key = key(number);
    return runner.run(job);
  }

  }  // namespace

  TEST_CASE("a recorded trial gives its recorded outcome, another one is skipped") {
    model::TrialRecord good = record(1, TrialStatus::ok);
    good.outcome = test::full_outcome();
    good.outcome.status = TrialStatus::ok;
    ReplayRunner runner(test::full_device_info(), {good, record(2, TrialStatus::wrong_result)});
    model::TrialOutcome expected = good.outcome;
    expected.device_lost = false;  // nothing is lost by looking it up
    CHECK(replay(runner, 1) == expected);
    CHECK(replay(runner, 2).status == TrialStatus::wrong_result);
    CHECK(replay(runner, 3).status == TrialStatus::skipped);
    CHECK(replay(runner, 3).detail == "not in the recording");
  }

  TEST_CASE("a replayed device gives what was dropped as it was recorded") {
    model::TrialRecord dropped = record(1, TrialStatus::dropped);
    dropped.outcome.measurement = model::Measurement{};
    dropped.outcome.measurement->samples_ns = {170};
    dropped.outcome.measurement->median_ns = 170;
    ReplayRunner runner({}, {dropped});
    CHECK(replay(runner, 1) == dropped.outcome);
  }

  TEST_CASE("what was measured and then failed by its probes fails, and has no time") {
    model::TrialRecord failed = record(1, TrialStatus::wrong_result);
    failed.outcome = test::full_outcome();
    failed.outcome.status = TrialStatus::wrong_result;
    ReplayRunner runner({}, {failed});
    CHECK(replay(runner, 1).status == TrialStatus::wrong_result);
    CHECK_FALSE(replay(runner, 1).measurement);
    CHECK_FALSE(replay(runner, 1).energy);
  }

  TEST_CASE("a final of recorded trials is told by their recorded times") {
    const auto timed = [](int number, double median_ns) {
      model::TrialRecord one = record(number, TrialStatus::ok);
      one.outcome.measurement.emplace();
      one.outcome.measurement->median_ns = median_ns;
      one.outcome.measurement->low_ns = 0.99 * median_ns;
      one.outcome.measurement->high_ns = 1.01 * median_ns;
      return one;
    };
    ReplayRunner runner({}, {timed(1, 200), timed(2, 100), timed(3, 101)});
    model::FinalJob job;
    for (const int number : {1, 2, 3}) {
      job.trials.emplace_back();
      job.trials.back().key = key(number);
    }
    const model::FinalOutcome told = runner.run_final(job);
    CHECK_FALSE(told.culprit);
    CHECK(told.fastest == 1);
    REQUIRE(told.standings.size() == 3);
    CHECK(told.standings[0].ratio == 2);
    CHECK_FALSE(told.standings[0].tied);
    CHECK(told.standings[2].tied);

    job.trials.back().key = key(4);  // was not recorded
    CHECK(runner.run_final(job).culprit == 2);
  }

  TEST_CASE("the later of two records of a trial counts") {
    ReplayRunner runner({}, {record(1, TrialStatus::timeout), record(1, TrialStatus::ok)});
    CHECK(replay(runner, 1).status == TrialStatus::ok);
  }

  TEST_CASE("a replayed device is the recorded one under another id, kind and name") {
    const model::DeviceInfo recorded = test::full_device_info();
    model::DeviceInfo expected = recorded;
    expected.id = "replay:sweep.jsonl";
    expected.kind = "replay";
    expected.name = recorded.name + " (replayed)";  // a class of its own
    CHECK(replayed_device(recorded, "sweep.jsonl") == expected);
  }

  TEST_CASE("compiling gives recorded resources, also for entries and jobs of which nothing is recorded") {
    const model::CompileJob job = test::full_compile_job();
    model::TrialRecord failed_launch = record(1, TrialStatus::timeout);
    failed_launch.binary_key = job.key();
    model::TrialRecord known = record(2, TrialStatus::ok);
    known.binary_key = job.key();
    known.resources = model::KernelResources{"add<4>", "symbol", 40, 1, 2, 3, 4, 5, 6};
    known.compile_ms = 12;
    ReplayCompiler compiler("nvrtc 13.0", {failed_launch, known});
    CHECK(compiler.name() == "nvrtc 13.0");

    const model::Compilation compilation = compiler.compile(job);
    CHECK(compilation.status == TrialStatus::ok);
    CHECK(compilation.binary.empty());
    CHECK(compilation.compile_ms == 12);
    REQUIRE(compilation.find("add<4>"));
    CHECK(*compilation.find("add<4>") == *known.resources);
    REQUIRE(compilation.find("scale"));
    CHECK(compilation.find("scale")->registers == 0);

    const model::Compilation unknown = compiler.compile(test::compile_job("reference"));
    CHECK(unknown.status == TrialStatus::ok);
    CHECK(unknown.find("reference"));
  }

  TEST_CASE("a recorded compile error fails again, with its log") {
    const model::CompileJob job = test::compile_job("broken");
    model::TrialRecord broken = record(1, TrialStatus::compile_error);
    broken.binary_key = job.key();
    broken.compile_log = "kernel.cu(1): error";
    const model::Compilation compilation = ReplayCompiler("nvrtc 13.0", {broken}).compile(job);
    CHECK(compilation.status == TrialStatus::compile_error);
    CHECK(compilation.log == "kernel.cu(1): error");
  }
}
