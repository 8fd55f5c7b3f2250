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
    const Environment h200 = result("any", 512, 0).environment;
    CHECK_FALSE(db::pace(store.connection(), cube(512), h200, false));
    int after_ms = 0;
    for (int i = 0; i < 5; ++i)
      store.record_stamped(result(fmt::format("a{}", i), 512, after_ms += 40), false);
    for (int i = 0; i < 5; ++i)
      store.record_stamped(result(fmt::format("b{}", i), 4096, after_ms += 900), false);
    const auto near_512 = db::pace(store.connection(), cube(1024), h200, false);
    REQUIRE(near_512);
    CHECK(near_512->problem == cube(512));
    CHECK(near_512->seconds == doctest::Approx(0.04).epsilon(0.01));
    CHECK(near_512->results == 4);
    CHECK(db::pace(store.connection(), cube(3000), h200, false)->seconds ==
          doctest::Approx(0.9).epsilon(0.01));
    Environment a100 = h200;
    a100.device = "NVIDIA A100";
    CHECK_FALSE(db::pace(store.connection(), cube(512), a100, false));

    TrialRecord next_day = result("next day", 512, 0);
    next_day.measured_at = "2026-01-03T03:04:05.000000Z";
    next_day.sequence = 1'000'000;
    store.record_stamped(next_day, false);
    CHECK(db::pace(store.connection(), cube(512), h200, false)->results == 4);
  }

  TEST_CASE("the pace is of results that were measured alike, whatever size, before others") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    RunRecord energy = db_test::sample_run("energy");
    energy.command_line += " --objective energy";
    store.begin_run(db_test::sample_run());
    store.begin_run(energy);
    Environment wanted = result("any", 512, 0).environment;
    wanted.method = "exhaustive-1";
    int after_ms = 0;
    const auto add = [&](const std::string& name, std::int64_t size, const std::string& method, int gap_ms,
                         const Digest& run) {
      for (int i = 0; i < 4; ++i) {
        TrialRecord trial = result(fmt::format("{}{}", name, i), size, after_ms += gap_ms);
        trial.environment.method = method;
        trial.run = run;
        store.record_stamped(trial, false);
      }
    };
    const Digest plain = db_test::sample_run().id;
    const auto pace = [&](bool has_energy) {
      return db::pace(store.connection(), cube(512), wanted, has_energy);
    };
    add("a", 512, "quick-3", 40, plain);
    REQUIRE(pace(false));
    CHECK(pace(false)->seconds == doctest::Approx(0.04).epsilon(0.01));
    CHECK(pace(false)->environment.method == "quick-3");
    CHECK(pace(false)->median_ns == 100);
    add("b", 4096, "exhaustive-1", 900, plain);
    CHECK(pace(false)->environment.method == "exhaustive-1");
    CHECK(pace(false)->seconds == doctest::Approx(0.9).epsilon(0.01));
    CHECK_FALSE(pace(true)->has_energy);
    add("c", 4096, "exhaustive-1", 1500, energy.id);
    CHECK(pace(true)->has_energy);
    CHECK(pace(true)->seconds == doctest::Approx(1.5).epsilon(0.01));
    CHECK(pace(false)->seconds == doctest::Approx(0.9).epsilon(0.01));
    wanted.l2 = "cold";
    CHECK(pace(false)->problem == cube(512));
  }
}
