#include "tuner/sweep/sweep.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "db/best.hpp"
#include "tests/support/fuzz.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/trial_maker.hpp"

using namespace tuner;
using test::Bench;
using test::ok_in;
using test::scale_answer;
using test::scale_spec;
using test::ScaleRunner;

TEST_SUITE("tuner::sweep") {
  TEST_CASE("every configuration of every size becomes one recorded trial with its metrics") {
    Bench bench;
    bench.sizes = {512, 1024};
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::done);
    CHECK(summary.planned == 10);
    CHECK(summary.finished == 10);
    CHECK(summary.wall_seconds > 0);
    CHECK(summary.measuring_seconds > 0);
    CHECK(summary.measuring_seconds <= summary.wall_seconds);
    CHECK(bench.results.trials().size() == 10);
    CHECK(bench.results.calls.front() == "begin");
    CHECK(bench.results.calls.back() == "end done");
    for (const auto& [key, record] : bench.results.trials()) {
      CHECK(record.outcome.status == model::TrialStatus::ok);
      CHECK(record.metrics.at("elements/ns") ==
            doctest::Approx(static_cast<double>(record.problem.sizes[0].value) /
                            record.outcome.measurement->median_ns));
    }
  }

  TEST_CASE("each trial of a long list has its own configuration's identity, however many threads made it") {
    Bench bench;
    model::KernelSpec spec = scale_spec();
    for (std::int64_t scale = 17; scale < 3000; ++scale) spec.parameters[0].values.emplace_back(scale);
    bench.adjust = [&](sweep::Request& request) { request.work[0].kernel = space::KernelSpace(spec); };
    const sweep::Request request = bench.request();
    const sweep::TrialList list = sweep::list_trials(request, bench.results);
    REQUIRE(list.total() == 5 + 2983);
    const sweep::Group& group = list.groups.at(0);
    const sweep::TrialMaker maker(request, request.work[0], group.problem);
    std::size_t index = 0;
    for (std::size_t i = 0; i < group.candidates.size(); ++i) {
      const search::Candidate candidate = group.candidates[i];
      REQUIRE(candidate.configuration == index);
      REQUIRE(group.keys[index] == maker.key(group.lists[0][index]));
      REQUIRE(group.keys[index] == maker.make(group.lists[0][index]).record.key);
      ++index;
    }
  }

  TEST_CASE("a probe that takes more memory than its problem, and is not small, is left out") {
    const auto probes = [](const std::string& extent) {
      Bench bench;
      model::KernelSpec spec = scale_spec();
      for (model::ArgumentSpec& argument : spec.arguments) {
        if (argument.pointer) argument.extent = {{extent, {}}};
      }
      bench.adjust = [&](sweep::Request& request) { request.work[0].kernel = space::KernelSpace(spec); };
      const sweep::Request request = bench.request();
      const sweep::TrialList list = sweep::list_trials(request, bench.results);
      const sweep::Group& group = list.groups.at(0);
      const sweep::TrialMaker maker(request, request.work[0], group.problem);
      return maker.probes(maker.make(group.lists[0][0])).size();
    };
    CHECK(probes("N") == 2);
    CHECK(probes("N * N") == 1);  // the second has 26593 squared elements
  }

  TEST_CASE("an attempt is recorded before each launch and the result after it") {
    Bench bench;
    bench.run();
    // Then the search, the final and the end of the run.
    REQUIRE(bench.results.calls.size() == 1 + 2 * 5 + 3);
    for (std::size_t i = 1; i <= 2 * 5; i += 2) {
      const std::string attempt = bench.results.calls[i];
      REQUIRE(attempt.starts_with("attempt "));
      CHECK(bench.results.calls[i + 1] == "record " + attempt.substr(8) + " ok");
    }
  }

  TEST_CASE("a second run of the same sweep launches and compiles nothing") {
    Bench bench;
    bench.run();
    bench.broken = {"1", "2", "4", "8", "16"};  // whatever were compiled now would fail
    const sweep::Summary second = bench.run();
    CHECK(second.known == 5);
    CHECK(second.finished == 0);
    CHECK(bench.launched.empty());
    CHECK(bench.watcher.plan == std::pair<std::int64_t, std::int64_t>{5, 5});
  }

  TEST_CASE("fresh measures again what is known") {
    Bench bench;
    bench.run();
    bench.adjust = [](sweep::Request& request) { request.fresh = true; };
    CHECK(bench.run().finished == 5);
    CHECK(bench.launched.size() == 5);
  }

  TEST_CASE("a fresh sweep that resumes another leaves alone what that one has come to") {
    Bench bench;
    bench.run();
    std::set<model::Digest> done;
    for (const auto& [key, record] : bench.results.trials())
      if (done.size() < 2) done.insert(key);
    bench.adjust = [&](sweep::Request& request) {
      request.fresh = true;
      request.resumed = done;
    };
    const sweep::Summary rest = bench.run();
    CHECK(rest.known == 2);
    CHECK(rest.finished == 3);
  }

  TEST_CASE("another driver, toolkit or policy is another class and is measured on its own") {
    Bench bench;
    bench.run();
    SUBCASE("driver") {
      bench.adjust = [](sweep::Request& request) { request.device.driver = "581"; };
    }
    SUBCASE("toolkit") {
      bench.adjust = [](sweep::Request& request) { request.compiler = "fake 2"; };
    }
    SUBCASE("policy") {
      bench.adjust = [](sweep::Request& request) { request.policy.name = "thorough-1"; };
    }
    SUBCASE("cold cache") {
      bench.adjust = [](sweep::Request& request) { request.policy.flush_l2 = true; };
    }
    CHECK(bench.run().finished == 5);
    CHECK(bench.results.trials().size() == 10);
  }

  TEST_CASE("a failed compilation is a row with the log's first line, and the sweep goes on") {
    Bench bench;
    bench.broken = {"4"};
    const sweep::Summary summary = bench.run();
    CHECK(summary.finished == 5);
    CHECK(summary.failed == 1);
    CHECK(summary.competing == 5);
    CHECK(summary.competing_failed == 1);
    const model::TrialRecord broken = bench.trial("SCALE=4");
    CHECK(broken.outcome.status == model::TrialStatus::compile_error);
    CHECK(broken.outcome.detail == "scale.cu(1): error: no such scale");
    CHECK(broken.compile_log.find("1 error detected") != std::string::npos);
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), 4) == 0);
  }

  TEST_CASE("what cannot launch is recorded as unlaunchable with the reason and never launched") {
    Bench bench;
    bench.oracle.why_unlaunchable = [](const model::KernelResources& resources, const model::Step& step) {
      CHECK(resources.registers > 0);
      return step.grid.x == 2 ? std::optional<std::string>("needs more than there is") : std::nullopt;
    };
    bench.run();
    const model::TrialRecord trial = bench.trial("SCALE=16");
    CHECK(trial.outcome.status == model::TrialStatus::unlaunchable);
    CHECK(trial.outcome.detail == "needs more than there is");
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), 16) == 0);
    CHECK(bench.launched.size() == 4);
  }

  TEST_CASE("a death is observed before it is recorded, and after two the configuration is quarantined") {
    Bench bench;
    bench.behave = [](int scale, const model::TrialJob&) {
      model::TrialOutcome outcome = ok_in(1);
      if (scale == 8) outcome = test::failed_in(model::TrialStatus::crashed, "an illegal address", true);
      return outcome;
    };
    bench.run();
    CHECK(bench.trial("SCALE=8").outcome.status == model::TrialStatus::crashed);
    CHECK(std::count(bench.results.calls.begin(), bench.results.calls.end(), "death") == 1);
    bench.adjust = [](sweep::Request& request) { request.fresh = true; };
    bench.run();
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), 8) == 1);
    CHECK(bench.trial("SCALE=8").outcome.status == model::TrialStatus::quarantined);
    CHECK(bench.trial("SCALE=8").outcome.detail.find("seen 2 times") != std::string::npos);
    bench.run();
    CHECK(std::count(bench.launched.begin(), bench.launched.end(), 8) == 0);
    CHECK(bench.trial("SCALE=8").outcome.status == model::TrialStatus::quarantined);
    CHECK(bench.launched.size() == 4);
  }

  TEST_CASE("later trials of a problem are told the best time so far") {
    Bench bench;
    std::vector<double> told;
    double next = 1000;
    bench.behave = [&](int, const model::TrialJob& job) {
      told.push_back(job.best_ns);
      return ok_in(next -= 100);
    };
    bench.run();
    CHECK(told == std::vector<double>{0, 900, 800, 700, 600});
  }

  TEST_CASE("a fresh sweep is not judged by the times of another day") {
    Bench bench;
    bench.results.known_best_ns = 50;
    bench.adjust = [](sweep::Request& request) { request.fresh = true; };
    std::vector<double> told;
    bench.behave = [&](int, const model::TrialJob& job) {
      told.push_back(job.best_ns);
      return ok_in(100);
    };
    bench.run();
    CHECK(told == std::vector<double>{0, 100, 100, 100, 100});
  }

  TEST_CASE("a slower trial and a failed one leave the best time as it is") {
    Bench bench;
    bench.results.known_best_ns = 50;
    std::vector<double> told;
    bench.behave = [&](int, const model::TrialJob& job) {
      told.push_back(job.best_ns);
      model::TrialOutcome outcome = ok_in(told.size() == 1 ? 1 : 100);
      if (told.size() > 1) return outcome;
      outcome.status = model::TrialStatus::wrong_result;
      outcome.measurement.reset();
      return outcome;
    };
    bench.run();
    CHECK(told == std::vector<double>{50, 50, 50, 50, 50});
  }

  TEST_CASE("stop ends the sweep after the launch in hand, and a resumed sweep does the rest") {
    Bench bench;
    bench.watcher.on_finished = [&](const model::TrialRecord&) {
      if (bench.watcher.ended == 2) bench.stop = true;
    };
    const sweep::Summary first = bench.run();
    CHECK(first.ending == sweep::Ending::interrupted);
    // The second is written down on its own, or while the third is handed over already.
    CHECK(first.finished >= 2);
    CHECK(first.finished <= 3);
    CHECK(bench.results.calls.back() == "end interrupted");
    bench.stop = false;
    const sweep::Summary second = bench.run();
    CHECK(second.known == first.finished);
    CHECK(second.finished == 5 - first.finished);
    CHECK(bench.results.trials().size() == 5);
  }

  TEST_CASE("a budget of trials or of time ends the sweep and says so") {
    Bench bench;
    SUBCASE("trials") {
      bench.adjust = [](sweep::Request& request) { request.budget.trials = 3; };
      CHECK(bench.run().finished == 3);
    }
    SUBCASE("time") {
      bench.adjust = [](sweep::Request& request) { request.budget.seconds = 0.0005; };
      CHECK(bench.run().finished < 5);
    }
    CHECK(bench.results.calls.back() == "end done");
  }

  TEST_CASE("the inputs of all trials are drawn from the seed of inputs, whatever that of the order") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      request.seed = 7;
      request.inputs_seed = 42;
    };
    std::set<std::uint64_t> seeds;
    bench.behave = [&](int scale, const model::TrialJob& job) {
      seeds.insert(job.seed);
      return ok_in(1000.0 / scale);
    };
    bench.run();
    CHECK(seeds == std::set<std::uint64_t>{42});
  }

  TEST_CASE("the order is random, the same for the same seed, and different for another") {
    const auto order = [](std::uint64_t seed) {
      Bench bench;
      bench.sizes = {1024, 2048, 4096};
      std::vector<std::int64_t> values(100);
      std::iota(values.begin(), values.end(), 1);
      bench.adjust = [&](sweep::Request& request) {
        request.seed = seed;
        test::edit_values(request, values);
      };
      // One compiler, so that results arrive in the order asked for, but for the last ones: those begin with
      // what takes long.
      const sweep::Request request = bench.request();
      ScaleRunner runner(bench.behave);
      bench.run_on(request, {&runner}, 1);
      REQUIRE(runner.launched.size() >= 300);
      return std::vector(runner.launched.begin(), runner.launched.begin() + 200);
    };
    CHECK(order(1) == order(1));
    CHECK(order(1) != order(2));
  }

  TEST_CASE("a problem that does not fit the device is left out before anything runs, with both numbers") {
    Bench bench;
    bench.sizes = {1024, std::int64_t{1} << 32};
    const sweep::TrialList list = sweep::list_trials(bench.request(), bench.results);
    REQUIRE(list.excluded.size() == 1);
    CHECK(list.excluded[0].reason ==
          "needs 32.00 GiB on the device, reference included; Fake GPU has 8.00 GiB free");
    CHECK(list.total() == 5);
  }

  TEST_CASE("a problem without a valid configuration is left out with that reason") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.constraints = {{"SCALE > N", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    const sweep::TrialList list = sweep::list_trials(bench.request(), bench.results);
    REQUIRE(list.excluded.size() == 1);
    CHECK(list.excluded[0].reason ==
          "its constraints leave no valid configuration: the default does not meet `SCALE > N`");
    CHECK(list.total() == 0);
  }

  TEST_CASE("a kernel that the spec keeps off this device is skipped, a row each, without compiling") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.device_kinds = {"cpu"};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    CHECK(bench.run().failed == 0);
    CHECK(bench.launched.empty());
    CHECK(bench.trial("SCALE=2").outcome.status == model::TrialStatus::skipped);
  }

  TEST_CASE("a kernel with a tensor map is skipped where there are none, with that reason") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      model::ArgumentSpec& map = spec.arguments.emplace_back();
      map.name = "map";
      map.tensor.emplace().buffer = "x";
      map.tensor->shape = map.tensor->box = {{"16", {}}};
      spec.device_kinds = {"cuda"};
      request.work[0].kernel = space::KernelSpace(spec);
      request.device.kind = "cpu";
    };
    CHECK(bench.run().failed == 0);
    CHECK(bench.launched.empty());
    CHECK(bench.trial("SCALE=2").outcome.status == model::TrialStatus::skipped);
    CHECK(bench.trial("SCALE=2").outcome.detail ==
          "`map` is a tensor map; devices [cuda] have them, this one is cpu");
  }

  TEST_CASE("a result that cannot be kept ends the sweep with that error, and the run as failed") {
    Bench bench;
    bench.results.fail_after = 2;
    CHECK_THROWS_WITH_AS(bench.run(), "the disk is full", model::Error);
    CHECK(bench.results.calls.back() == "end failed");
    CHECK(bench.results.trials().size() == 2);
  }

  TEST_CASE("a sweep that is resumed after an edit does what the spec says now") {
    Bench bench;
    std::vector<std::int64_t> scales = {1, 2, 4, 8, 16};
    bench.adjust = [&](sweep::Request& request) {
      test::edit_values(request, scales);
      request.run.device = request.device;
    };
    bench.watcher.on_finished = [&](const model::TrialRecord&) { bench.stop = bench.watcher.ended >= 3; };
    CHECK(bench.run().ending == sweep::Ending::interrupted);
    const std::size_t before = bench.results.trials().size();
    CHECK(before < 5);
    bench.watcher.on_finished = nullptr;
    bench.stop = false;
    scales = {2, 4, 8, 12};
    bench.run();
    std::set<std::string> raced;
    for (const auto& [key, record] : bench.results.trials()) raced.insert(record.configuration.text());
    for (const char* now : {"SCALE=2", "SCALE=4", "SCALE=8", "SCALE=12"}) CHECK(raced.contains(now));
    REQUIRE(bench.results.finals.size() == 1);
    for (const model::FinalRecord::Entry& entry : bench.results.finals.front().entries) {
      const std::string text = bench.results.trials().at(entry.trial).configuration.text();
      CHECK_MESSAGE((text != "SCALE=1" && text != "SCALE=16"), text);
    }
    CHECK(bench.results.trials().at(bench.results.finals.front().chosen).configuration.text() == "SCALE=12");
  }

  TEST_CASE(
      "whatever is edited and undone, what is new is measured alone, and the best is of the spec as it is") {
    test::fuzz([](unsigned first) {
      constexpr unsigned sequences = 8;
      for (unsigned seed = first * sequences; seed < (first + 1) * sequences; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Bench bench;
        std::vector<std::int64_t> scales;
        bench.adjust = [&](sweep::Request& request) {
          test::edit_values(request, scales);
          request.run.device = request.device;
        };
        std::set<int> measured;
        for (int edit = 0; edit < 6; ++edit) {
          scales.clear();
          for (const std::int64_t scale : {1, 2, 4, 8, 16, 32})
            if (random() % 2 == 0) scales.push_back(scale);
          if (scales.empty()) scales.push_back(4);
          std::shuffle(scales.begin(), scales.end(), random);
          bench.run();
          std::set<int> expected;
          for (const std::int64_t scale : scales)
            if (measured.insert(static_cast<int>(scale)).second) expected.insert(static_cast<int>(scale));
          CHECK(std::set<int>(bench.launched.begin(), bench.launched.end()) == expected);
          CHECK(bench.launched.size() == expected.size());
          const auto best = db::best_of_each(bench.results.store.connection(), {});
          REQUIRE(best.size() == 1);
          const std::int64_t fastest = *std::max_element(scales.begin(), scales.end());
          CHECK(best[0].winner.configuration.text() == "SCALE=" + std::to_string(fastest));
        }
      }
    });
  }
}
