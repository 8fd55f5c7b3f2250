#include "db/planning.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::cube;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  /// A result of a run, so many milliseconds after its beginning.
  TrialRecord result(const std::string& name, std::int64_t size, int after_ms, double compile_ms = 100) {
    TrialRecord trial = timed_trial(name, size, 100);
    trial.measured_at = fmt::format("2026-01-02T03:04:{:02}.{:03}000Z", after_ms / 1000, after_ms % 1000);
    trial.sequence = after_ms + 1;
    trial.compile_ms = compile_ms;
    return trial;
  }

  }  // namespace

  TEST_CASE("compile times are of kernel, compiler and architecture, each binary once, without a cache's") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record_stamped(result("a", 512, 0, 100), false);
    store.record_stamped(result("b", 512, 10, 0), false);
    TrialRecord same_binary = result("c", 512, 20, 100);
    same_binary.binary_key = result("a", 512, 0).binary_key;
    store.record_stamped(same_binary, false);
    TrialRecord elsewhere = result("d", 512, 30, 300);
    elsewhere.environment.device = "NVIDIA A100";
    store.record_stamped(elsewhere, false);
    TrialRecord other_compiler = result("e", 512, 40, 500);
    other_compiler.environment.toolkit = "nvrtc 12.9";
    store.record_stamped(other_compiler, false);

    const auto times = [&](int most) {
      return db::compile_times(store.connection(), "matmul", "register_tile", "nvrtc 13.0",
                               db_test::sample_run().device, most);
    };
    REQUIRE(times(9).size() == 2);
    CHECK(times(9)[0].compile_ms == 100);  // of the device first, though the other is newer
    CHECK(times(9)[1].compile_ms == 300);
    CHECK(times(9)[1].configuration.find("NAME")->text() == "d");
    CHECK(times(1).size() == 1);
    CHECK(db::compile_times(store.connection(), "matmul", "naive", "nvrtc 13.0", db_test::sample_run().device,
                            9)
              .empty());

    // Once it is known that the other device has another architecture, its times say nothing.
    RunRecord run = db_test::sample_run("elsewhere");
    run.device.name = "NVIDIA A100";
    run.device.architecture = "sm_80";
    store.begin_run(run);
    CHECK(times(9).size() == 1);
    run.device.architecture = "sm_90";
    run.device.name = "NVIDIA H100";
    store.begin_run(run);
    elsewhere.environment.device = "NVIDIA H100";
    elsewhere.key = result("f", 512, 50).key;
    elsewhere.binary_key = result("f", 512, 50).binary_key;
    store.record_stamped(elsewhere, false);
    CHECK(times(9).size() == 2);
  }

  TEST_CASE("the pace is the median from result to result at the nearest size, breaks left out") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    CHECK_FALSE(db::pace(store.connection(), cube(512), "NVIDIA H200"));
    int after_ms = 0;
    for (int i = 0; i < 5; ++i)
      store.record_stamped(result(fmt::format("a{}", i), 512, after_ms += 40), false);
    for (int i = 0; i < 5; ++i)
      store.record_stamped(result(fmt::format("b{}", i), 4096, after_ms += 900), false);
    const auto near_512 = db::pace(store.connection(), cube(1024), "NVIDIA H200");
    REQUIRE(near_512);
    CHECK(near_512->problem == cube(512));
    CHECK(near_512->seconds == doctest::Approx(0.04).epsilon(0.01));
    CHECK(near_512->results == 4);
    CHECK(db::pace(store.connection(), cube(3000), "NVIDIA H200")->seconds ==
          doctest::Approx(0.9).epsilon(0.01));
    CHECK_FALSE(db::pace(store.connection(), cube(512), "NVIDIA A100"));

    TrialRecord next_day = result("next day", 512, 0);
    next_day.measured_at = "2026-01-03T03:04:05.000000Z";
    next_day.sequence = 1'000'000;
    store.record_stamped(next_day, false);
    CHECK(db::pace(store.connection(), cube(512), "NVIDIA H200")->results == 4);
  }
}
