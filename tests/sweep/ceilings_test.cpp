#include <utility>

#include "tests/sweep/scale_bench.hpp"
#include "tuner/measure/sampler.hpp"

using namespace tuner;
using test::ok_in;

namespace {

model::KernelSpec ceiling_spec(const std::string& kind, const std::string& unit, const std::string& metric) {
  model::KernelSpec spec = test::scale_spec();
  spec.name = spec.family = "ceiling_" + kind;
  spec.role = model::Role::ceiling;
  spec.ceiling = kind;
  spec.ceiling_sizes = {{"multiprocessors * 32", {}}};
  spec.metrics = {{unit, {metric, {}}}};
  return spec;
}

/// A run on a fake GPU that has just ended, and what its ceilings are measured with.
struct CeilingBench : test::Bench {
  CeilingBench() {
    run.finished = 1;
    run_request = request();
    run_request.device.limits.multiprocessors = 4;
    run_request.device.limits.max_threads_per_block = 1024;
    run_request.device.limits.max_block_x = run_request.device.limits.max_grid_x = 1024;
    run_request.device.limits.max_block_y = run_request.device.limits.max_grid_y = 1024;
    run_request.device.limits.max_block_z = run_request.device.limits.max_grid_z = 64;
    kernels = {test::scale_spec(), ceiling_spec("memory", "GB/s", "4.0 * N / time_ns"),
               ceiling_spec("launch", "ns", "1.0 * time_ns")};
  }

  /// What the run that they belong to has ended as then.
  sweep::Ending measure() {
    test::ScaleRunner runner(behave);
    const auto do_sweep = [&](const sweep::Request& request, const sweep::TrialList& list) {
      return run_on(request, list, {&runner}, 1).ending;
    };
    sweep::Summary summary = run;
    sweep::measure_ceilings(
        {kernels, run_request, measure::policy("quick"), results, watcher, stop, recorded, do_sweep,
         [this](const model::Ceiling& ceiling) { recorded.push_back(ceiling); }},
        summary);
    launched = runner.launched;
    return summary.ending;
  }

  const model::Ceiling& ceiling(const std::string& kind) const {
    for (const model::Ceiling& one : recorded) {
      if (one.kind == kind) return one;
    }
    FAIL("no ceiling of " << kind);
    throw 0;
  }

  sweep::Request run_request;
  sweep::Summary run;
  std::vector<model::KernelSpec> kernels;
  std::vector<model::Ceiling> recorded;
  test::FakeCompilerLog log;
};

}  // namespace

TEST_SUITE("sweep, ceilings") {
  TEST_CASE(
      "a ceiling is the best first metric of its kernel's small sweep, in plain units, with its trial") {
    CeilingBench bench;
    bench.behave = [](int scale, const model::TrialJob&) { return ok_in(100 + 10 * scale); };
    CHECK(bench.measure() == sweep::Ending::done);
    REQUIRE(bench.recorded.size() == 2);
    const model::Ceiling& memory = bench.ceiling("memory");
    CHECK(memory.device == "Fake GPU");
    CHECK(memory.value == doctest::Approx(4.0 * 128 / 110 * 1e9));
    CHECK(memory.unit == "GB/s");
    CHECK(bench.results.trials().at(memory.trial).configuration.text() == "SCALE=1");
    CHECK(bench.ceiling("launch").value * 1e9 == doctest::Approx(110));  // Approx has an absolute part
    CHECK(bench.launched.size() == 10);
    REQUIRE(bench.watcher.notices.size() == 1);
    CHECK(bench.watcher.notices[0] == "measuring what Fake GPU can do at most, once");
  }

  TEST_CASE("its trials are of the quick policy whatever the run's was, and have a run of their own") {
    CeilingBench bench;
    bench.run_request.policy.flush_l2 = true;
    bench.measure();
    for (const auto& [key, trial] : bench.results.trials()) {
      CHECK(trial.environment.method.starts_with("quick"));
      CHECK(trial.environment.l2 == "warm");
      CHECK(trial.run != bench.run_request.run.id);
    }
  }

  TEST_CASE("what is known is not measured again; another type or device is") {
    CeilingBench bench;
    bench.measure();
    REQUIRE(bench.launched.size() == 10);
    bench.measure();
    CHECK(bench.launched.empty());
    CHECK(bench.recorded.size() == 2);
    SUBCASE("device") {
      bench.run_request.device.name = "Other GPU";
      bench.measure();
      CHECK(bench.launched.size() == 10);
      CHECK(bench.recorded.back().device == "Other GPU");
    }
    SUBCASE("type") {
      bench.kernels[1].types.push_back(model::ElementType::int32);
      bench.run_request.work[0].problems[0].type = model::ElementType::int32;
      bench.measure();
      CHECK(bench.launched.size() == 5);
      CHECK(bench.recorded.back().type == model::ElementType::int32);
    }
  }

  TEST_CASE("a ceiling is of every configuration of its kernel, or is none") {
    CeilingBench bench;
    bench.run_request.device.limits.max_grid_x = 3;  // SCALE=1 has 4 blocks
    CHECK(bench.measure() == sweep::Ending::done);
    CHECK(bench.launched.size() == 8);
    CHECK(bench.recorded.empty());
  }

  TEST_CASE("a ceiling is of the trials that gave a time, whatever the others did") {
    CeilingBench bench;
    bench.behave = [](int scale, const model::TrialJob&) {
      return scale <= 2 ? test::failed_in(model::TrialStatus::wrong_result, "3 are wrong")
                        : ok_in(100 * scale);
    };
    bench.measure();
    CHECK(bench.ceiling("memory").value == doctest::Approx(4.0 * 128 / 400 * 1e9));
    CHECK(bench.ceiling("launch").value * 1e9 == doctest::Approx(400));
  }

  TEST_CASE("the run that measures ceilings is told from the one that it belongs to") {
    CeilingBench bench;
    bench.run_request.run.command_line = "tuner run --sizes 64";
    bench.run_request.run.host = "bench";
    bench.measure();
    const auto runs = db::runs(bench.results.store.connection());
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].id != bench.run_request.run.id);
    CHECK(runs[0].command_line == "tuner run --sizes 64  # the device's ceilings");
    CHECK(runs[0].host == "bench");
    CHECK(runs[0].measured == 10);
  }

  TEST_CASE("an interrupted measuring interrupts its run, records no ceiling, and goes on where it stopped") {
    CeilingBench bench;
    bench.watcher.on_finished = [&](const model::TrialRecord&) { bench.stop = bench.watcher.ended >= 3; };
    CHECK(bench.measure() == sweep::Ending::interrupted);
    CHECK(bench.recorded.empty());
    // A result is committed on its own, or while the next trial is handed over already.
    const std::size_t before = bench.launched.size();
    CHECK(before >= 3);
    CHECK(before <= 4);
    bench.stop = false;
    bench.watcher.on_finished = nullptr;
    bench.run.known = std::exchange(bench.run.finished, 0);
    CHECK(bench.measure() == sweep::Ending::done);
    CHECK(bench.launched.size() == 10 - before);
    CHECK(bench.recorded.size() == 2);
  }

  TEST_CASE("ceilings that were interrupted before their first trial are measured by what resumes") {
    CeilingBench bench;
    bench.run.known = std::exchange(bench.run.finished, 0);
    CHECK(bench.measure() == sweep::Ending::done);
    CHECK(bench.recorded.size() == 2);
    bench.launched.clear();
    CHECK(bench.measure() == sweep::Ending::done);
    CHECK(bench.launched.empty());
  }

  TEST_CASE("nothing is begun after a run that has nothing or was interrupted, or when it should stop") {
    CeilingBench bench;
    sweep::Ending ending = sweep::Ending::done;
    SUBCASE("has nothing") {
      bench.run.finished = 0;
    }
    SUBCASE("interrupted") {
      bench.run.ending = ending = sweep::Ending::interrupted;
    }
    SUBCASE("should stop, all that was asked for being done") {
      bench.stop = true;
    }
    CHECK(bench.measure() == ending);
    CHECK(bench.launched.empty());
    CHECK(bench.results.calls.empty());
  }

  TEST_CASE("a run that its budget ended has ceilings, and stays one that its budget ended") {
    CeilingBench bench;
    bench.run.ending = sweep::Ending::budget_spent;
    CHECK(bench.measure() == sweep::Ending::budget_spent);
    CHECK(bench.recorded.size() == 2);
  }

  TEST_CASE("a ceiling whose buffers do not fit is left out with the reason, the others are measured") {
    CeilingBench bench;
    bench.kernels[1].ceiling_sizes = {{"multiprocessors << 29", {}}};
    bench.run_request.device.limits.max_grid_x = 1 << 30;
    bench.measure();
    REQUIRE(bench.recorded.size() == 1);
    CHECK(bench.recorded[0].kind == "launch");
    REQUIRE(bench.watcher.notices.size() == 3);
    CHECK(bench.watcher.notices[1].find("left out: ceiling_memory at 2147483648 float: needs ") !=
          std::string::npos);
    CHECK(bench.watcher.notices[2].ends_with("could not be measured, for the reason above"));
  }

  TEST_CASE("a kernel that is not for the device is passed over, one that fails is told of once") {
    CeilingBench bench;
    bench.kernels[1].device_kinds = {"cpu"};
    bench.behave = [](int, const model::TrialJob&) {
      model::TrialOutcome outcome;
      outcome.status = model::TrialStatus::wrong_result;
      return outcome;
    };
    bench.measure();
    CHECK(bench.launched.size() == 5);
    CHECK(bench.recorded.empty());
    REQUIRE(bench.watcher.notices.size() == 2);
    CHECK(bench.watcher.notices[1].find("launch ceiling for float could not be measured; `tuner list f") !=
          std::string::npos);
    bench.measure();
    CHECK(bench.launched.empty());
    CHECK(bench.watcher.notices.size() == 2);
  }
}
