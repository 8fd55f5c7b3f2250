#include "tests/support/contains.hpp"
#include "tests/sweep/scale_bench.hpp"

using namespace tuner;
using test::add_library;
using test::Bench;
using test::failed_in;
using test::library_spec;
using test::ok_in;

namespace {

/// `library_ns` for the library, and 1 µs by SCALE for the kernel.
test::ScaleRunner::Behave takes(double library_ns) {
  return [library_ns](int scale, const model::TrialJob&) {
    return ok_in(scale == test::library_scale ? library_ns : 1000.0 / scale);
  };
}

model::TrialRecord library_trial(const Bench& bench) {
  return bench.trial("-");
}

}  // namespace

TEST_SUITE("tuner::sweep, baselines") {
  TEST_CASE("a library drops nobody, is in the final however slow or fast, and is never chosen") {
    Bench bench;
    bench.adjust = add_library;
    double library_ns = 0;
    SUBCASE("faster than all") {
      library_ns = 1;
    }
    SUBCASE("slower than all") {
      library_ns = 1e6;
    }
    bench.behave = [library_ns](int scale, const model::TrialJob& job) {
      const bool is_library = scale == test::library_scale;
      CHECK(job.role == (is_library ? model::Role::baseline : model::Role::competitor));
      CHECK(job.plan.calls_library() == is_library);
      if (is_library) CHECK(job.best_ns == 0);
      CHECK((job.best_ns == 0 || job.best_ns > library_ns || library_ns == 1e6));
      return takes(library_ns)(scale, job);
    };
    bench.run();
    REQUIRE(bench.launched.size() == 6);
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), test::library_scale) == 1);
    REQUIRE(bench.results.finals.size() == 1);
    const model::FinalRecord& final = bench.results.finals.front();
    CHECK(bench.results.trials().at(final.chosen).configuration.text() == "SCALE=16");
    CHECK(final.entries.front().trial == final.chosen);
    CHECK(final.entries.back().trial == library_trial(bench).key);
    CHECK(final.entries.back().ratio == doctest::Approx(library_ns / (1000.0 / 16)));
    CHECK_FALSE(final.entries.back().tied);
    CHECK(library_trial(bench).role == model::Role::baseline);
    CHECK(bench.watcher.notices.empty());

    bench.run();
    CHECK(bench.launched.empty());
    CHECK(bench.finals.empty());
  }

  TEST_CASE("a library's result names the settings that it was called with, behind its version") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec library = library_spec();
      library.description = "no TF32";
      request.work.push_back({space::KernelSpace(library), request.work.front().problems});
    };
    bench.behave = [](int scale, const model::TrialJob& job) {
      model::TrialOutcome outcome = takes(100)(scale, job);
      if (scale == test::library_scale) outcome.detail = "libscale 1.2";
      return outcome;
    };
    bench.run();
    CHECK(library_trial(bench).outcome.detail == "libscale 1.2; no TF32");
  }

  TEST_CASE("a library that is new to a problem takes part in a final of its own") {
    Bench bench;
    bench.run();
    CHECK(bench.results.finals.size() == 1);
    bench.adjust = add_library;
    bench.behave = takes(100);
    bench.run();
    CHECK(bench.launched == std::vector<int>{test::library_scale});
    REQUIRE(bench.finals.size() == 1);
    CHECK(bench.finals.front().back() == test::library_scale);
  }

  TEST_CASE("a sweep without the library does not miss it in its finals") {
    Bench bench;
    bench.adjust = add_library;
    bench.behave = takes(100);
    bench.run();
    bench.adjust = nullptr;
    bench.run();
    CHECK(bench.finals.empty());
    CHECK(bench.watcher.notices.empty());
  }

  TEST_CASE("no budget leaves the library out") {
    Bench bench;
    bench.behave = takes(100);
    bench.adjust = [](sweep::Request& request) {
      add_library(request);
      request.budget.trials = 2;
    };
    bench.run();
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), test::library_scale) == 1);
    CHECK(bench.results.finals.size() == 1);
  }

  TEST_CASE(
      "what libraries still have to be timed on is counted, so that a budget of trials is for kernels") {
    Bench bench;
    bench.sizes = {512, 1024};
    bench.adjust = add_library;
    bench.behave = takes(100);
    const sweep::Request request = bench.request();
    CHECK(sweep::list_trials(request, bench.results).baselines_left(request) == 2);
    bench.run();
    CHECK(sweep::list_trials(request, bench.results).baselines_left(request) == 0);
  }

  TEST_CASE("a library that is not there is said once, and asked for again in the next sweep") {
    Bench bench;
    bench.sizes = {512, 1024};
    bench.adjust = add_library;
    bool installed = false;
    bench.behave = [&installed](int scale, const model::TrialJob& job) {
      if (scale == test::library_scale && !installed)
        return failed_in(model::TrialStatus::skipped, "libscale is not there");
      return takes(100)(scale, job);
    };
    const sweep::Summary summary = bench.run();
    CHECK(summary.failed == 0);
    CHECK(bench.watcher.notices ==
          std::vector<std::string>{"no times of libscale: skipped: libscale is not there"});
    CHECK(bench.results.trials().at(bench.results.finals.at(0).chosen).configuration.text() == "SCALE=16");
    installed = true;
    bench.run();
    CHECK(bench.launched == std::vector<int>(2, test::library_scale));
    CHECK(bench.finals.size() == 2);
  }

  TEST_CASE("a library that cannot be called for a problem has a row that says why, and is not launched") {
    Bench bench;
    bench.sizes = {1024, 2048};
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = test::scale_spec();
      model::BaselineSpec library;
      library.name = "libscale";
      library.source = {{"libscale.cpp", "calls it"}};
      library.arguments = {{"x", {}}};
      library.workspace_bytes = {"1024 / (2048 - N)", {}};
      spec.baselines = {library};
      request.work.push_back(
          {space::KernelSpace(space::baselines(spec).front()), request.work.front().problems});
    };
    bench.behave = takes(100);
    const sweep::Summary summary = bench.run();
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), test::library_scale) == 1);
    CHECK(summary.finished == 12);
    CHECK(summary.failed == 1);
    REQUIRE(bench.watcher.notices.size() == 1);
    CHECK(contains(bench.watcher.notices[0], "no times of libscale: unlaunchable: "));
    CHECK(contains(bench.watcher.notices[0], "1024 / (2048 - N)"));
    CHECK(bench.finals.size() == 2);
    bench.run();
    CHECK(bench.launched.empty());
  }

  TEST_CASE("a library that fails costs its row alone") {
    Bench bench;
    bench.adjust = add_library;
    bench.behave = [](int scale, const model::TrialJob& job) {
      if (scale == test::library_scale) return failed_in(model::TrialStatus::wrong_result, "all are wrong");
      return takes(0)(scale, job);
    };
    const sweep::Summary summary = bench.run();
    CHECK(summary.failed == 1);
    CHECK(bench.watcher.notices.size() == 1);
    CHECK(bench.results.trials().at(bench.results.finals.at(0).chosen).configuration.text() == "SCALE=16");
  }

  TEST_CASE("a library that an interruption left out is raced by the run that resumes, and is in its final") {
    Bench bench;
    bench.adjust = add_library;
    bench.behave = takes(100);
    bench.watcher.on_finished = [&](const model::TrialRecord& trial) {
      bench.stop = trial.role == model::Role::competitor;
    };
    CHECK(bench.run().ending == sweep::Ending::interrupted);
    CHECK(bench.finals.empty());
    bench.watcher.on_finished = nullptr;
    bench.stop = false;
    bench.run();
    CHECK(bench.results.trials().size() == 6);
    REQUIRE(bench.finals.size() == 1);
    CHECK(bench.finals.front().back() == test::library_scale);
  }
}
