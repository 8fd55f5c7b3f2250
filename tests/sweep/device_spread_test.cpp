// How devices of one sweep are told apart, and what is held against what then.
#include <map>
#include <mutex>
#include <set>

#include "tests/sweep/several_devices.hpp"

using namespace tuner;
using test::comparisons;
using test::Host;
using test::ok_in;

TEST_SUITE("tuner::sweep, devices that differ") {
  TEST_CASE("devices are compared by the median of three runs, those that gave all of them") {
    sweep::DeviceSpread spread({"a", "b", "c", "d"});
    CHECK_FALSE(spread.is_under_way());
    spread.begin();
    const std::vector<std::vector<double>> times = {
        {}, {1000, 1100, 900}, {1300, 1250, 5000}, {800, 780, 820}};
    for (std::size_t device = 1; device < 4; ++device) {
      for (const double time_ns : times[device]) {
        REQUIRE(spread.claim(device));
        CHECK(spread.is_under_way());
        spread.add(device, sweep::DeviceSpread::Taken{time_ns});
      }
      CHECK_FALSE(spread.claim(device));
    }
    CHECK(spread.claim(0));
    spread.add(0, std::nullopt);  // and is not asked again
    CHECK_FALSE(spread.claim(0));
    CHECK_FALSE(spread.is_under_way());
    CHECK(spread.ratio(0) == 1);
    CHECK(spread.ratio(1) == 1);
    CHECK(spread.ratio(2) == doctest::Approx(1.3));
    CHECK(spread.ratio(3) == doctest::Approx(0.8));
    CHECK(spread.widest() == doctest::Approx(1.3 / 0.8));
    CHECK(spread.corrects());
    CHECK(spread.correction(2) == doctest::Approx(1.3));
    spread.leave(3);
    CHECK(spread.ratio(3) == 1);
    CHECK(spread.widest() == doctest::Approx(1.3));
    spread.leave(2);
    CHECK(spread.widest() == 1);
    CHECK_FALSE(spread.corrects());
  }

  TEST_CASE(
      "a run that is under way keeps a comparison from its end, and one that ends early compares nobody") {
    sweep::DeviceSpread spread({"a", "b"});
    spread.begin();
    for (std::size_t i = 0; i + 1 < sweep::DeviceSpread::runs; ++i) {
      for (const std::size_t device : {0U, 1U}) {
        REQUIRE(spread.claim(device));
        spread.add(device, sweep::DeviceSpread::Taken{device == 0 ? 1000.0 : 2000.0});
      }
    }
    REQUIRE(spread.claim(1));
    spread.end();
    CHECK(spread.is_under_way());
    spread.add(1, sweep::DeviceSpread::Taken{2000});
    CHECK_FALSE(spread.is_under_way());
    CHECK(spread.ratio(1) == 1);
    CHECK_FALSE(spread.corrects());
  }

  TEST_CASE("devices that are apart by more than counts as tied are told apart before the final") {
    // Of the two best, the better looks worse by more than a final allows where the slow device raced it.
    const std::map<int, double> times = {{1, 3000}, {2, 2000}, {4, 1500}, {8, 1080}, {16, 1000}};
    constexpr double slower = 1.3;
    int misleading = 0;
    for (std::uint64_t seed = 1; seed <= 40 && misleading < 3; ++seed) {
      CAPTURE(seed);
      Host host;
      host.bench.sizes = {512};
      host.bench.adjust = [&](sweep::Request& request) { request.seed = seed; };
      host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
        return ok_in(times.at(scale) * (device == 1 ? slower : 1));
      };
      double best_ns = 0;
      double looks_ns = 0;
      host.bench.watcher.on_finished = [&](const model::TrialRecord& record) {
        const double time_ns = record.outcome.measurement->median_ns;
        if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
        if (record.configuration.text() == "SCALE=16") looks_ns = time_ns;
      };
      host.run();
      if (looks_ns > 1.1 * best_ns) ++misleading;
      REQUIRE(host.bench.results.finals.size() == 1);
      const model::FinalRecord& final = host.bench.results.finals[0];
      CHECK(host.bench.results.trials().at(final.chosen).configuration.text() == "SCALE=16");
      CHECK(final.entries.size() == 2);
      CHECK(host.was_told("cuda:1 1.300; that is more than what counts as tied"));
    }
    CHECK(misleading > 0);
  }

  TEST_CASE("devices are not told apart by trials that launch latency is part of, whoever measured them") {
    // Latency makes the second device look slower by half; a trial that takes long enough tells that it is
    // not.
    const auto is_short = [](const model::TrialJob& job) { return job.plan.buffers.at(0).elements <= 512; };
    for (const bool long_too : {false, true}) {
      CAPTURE(long_too);
      Host host;
      host.bench.sizes = {512};
      if (long_too) host.bench.sizes.push_back(1024);
      host.behave = [&](std::size_t device, int scale, const model::TrialJob& job) {
        model::TrialOutcome outcome = ok_in(1000.0 / scale * (is_short(job) && device == 1 ? 1.5 : 1));
        outcome.measurement->includes_launch_latency = is_short(job);
        return outcome;
      };
      host.run();
      CHECK(host.was_told("the devices compared by scale SCALE=16 at 1024: cuda:0 1.000, cuda:1 1.000;") ==
            long_too);
      CHECK_FALSE(host.was_told(" at 512: "));
    }
  }

  TEST_CASE("what looks worth a final until devices are told apart is none, and does not begin one") {
    // A configuration that is new is raced by the fast device; the best of before was measured by the slow
    // one.
    int misleading = 0;
    for (std::uint64_t seed = 1; seed <= 40 && misleading < 3; ++seed) {
      CAPTURE(seed);
      Host host;
      host.bench.sizes = {512};
      std::vector<std::int64_t> scales = {1, 2, 4, 8, 16};
      host.bench.adjust = [&](sweep::Request& request) {
        request.seed = seed;
        request.run.device = request.device;  // by which an edited spec's past trials are judged
        test::edit_values(request, scales);
      };
      host.behave = [](std::size_t device, int scale, const model::TrialJob&) {
        const std::map<int, double> times = {{1, 3000},  {2, 2000},  {4, 1500}, {8, 1400},
                                             {16, 1000}, {32, 1200}, {64, 2000}};
        return ok_in(times.at(scale) * (device == 0 ? 1.3 : 1));
      };
      host.run();
      REQUIRE(host.summary.finals == 1);
      scales.insert(scales.end(), {32, 64});
      host.run();
      REQUIRE(host.summary.known == 5);
      CHECK(host.summary.finals == 0);
      const double before_ns = host.bench.trial("SCALE=16").outcome.measurement->median_ns;
      if (host.bench.trial("SCALE=32").outcome.measurement->median_ns < before_ns) ++misleading;
    }
    CHECK(misleading > 0);
  }

  TEST_CASE("results of another GPU of the name are held against those of here by what they take here") {
    // The best was measured by a slow GPU, in another database: here it looks worse than a final allows.
    const std::map<int, double> times = {{1, 3000}, {2, 2000}, {4, 1500}, {8, 1080}, {16, 1000}};
    double there = 1.3;
    std::string expected;
    SUBCASE("it is slower") {
      expected = "it takes 1.300 of the time here";
    }
    SUBCASE("it is faster") {
      there = 0.8;
      expected = "it takes 0.800 of the time here";
    }
    SUBCASE("it is alike") {
      there = 1.004;
      expected = "it differs by no more than what counts as tied";
    }
    bool is_short = false;
    SUBCASE("launch latency is part of its time, which tells nothing") {
      is_short = true;
    }
    test::Bench bench;
    bench.sizes = {512};
    const auto on = [&](std::size_t number, double factor, const std::vector<std::int64_t>& scales,
                        bool holds_finals) {
      bench.adjust = [&, holds_finals](sweep::Request& request) {
        test::edit_values(request, scales);
        if (!holds_finals) request.policy.final.finalists = 0;
      };
      const sweep::Request request = bench.request();
      test::ScaleRunner runner(
          [&](int scale, const model::TrialJob&) {
            model::TrialOutcome outcome = ok_in(times.at(scale) * factor);
            outcome.measurement->includes_launch_latency = is_short;
            return outcome;
          },
          number);
      bench.run_on(request, {&runner});
      return runner.launched;
    };
    bench.adjust = nullptr;
    on(1, there, {1, 4, 16}, false);
    const std::vector<int> launched = on(0, 1, {1, 2, 4, 8, 16}, true);
    if (is_short) {
      CHECK(std::ranges::count(launched, 16) == 0);
      return;
    }
    REQUIRE(bench.results.finals.size() == 1);
    const model::FinalRecord& final = bench.results.finals[0];
    CHECK(bench.results.trials().at(final.chosen).configuration.text() == "SCALE=16");
    CHECK(final.entries.size() == 2);
    CHECK(std::count(launched.begin(), launched.end(), 16) >= 3);
    const auto& notices = bench.watcher.notices;
    CHECK(std::count_if(notices.begin(), notices.end(), [&](const std::string& notice) {
            return notice.find("another Fake GPU (GPU-1) compared by scale SCALE=16") != std::string::npos &&
                   notice.find(expected) != std::string::npos;
          }) == 1);
  }

  TEST_CASE("a replayed device is compared with no GPU: it has one answer, whatever measured the past") {
    test::Bench bench;
    const auto on = [&](const std::string& uuid, double factor, const std::vector<std::int64_t>& scales) {
      bench.adjust = [&](sweep::Request& request) {
        test::edit_values(request, scales);
        if (uuid.empty())
          request.recorded_device = "Fake GPU";
        else
          request.policy.final.finalists = 0;
      };
      const sweep::Request request = bench.request();
      test::ScaleRunner runner([&](int scale, const model::TrialJob&) { return ok_in(scale * factor); });
      runner.rename(uuid);
      bench.run_on(request, {&runner});
      return runner.launched;
    };
    on("GPU-1", 1300, {1, 4});
    on("GPU-2", 1000, {2});
    const std::vector<int> launched = on("", 1000, {1, 2, 4, 8});
    CHECK(launched == std::vector<int>{8});  // what is known is not run for a comparison
    CHECK(bench.watcher.notices.empty());
    REQUIRE(bench.results.finals.size() == 1);
    CHECK(bench.results.trials().at(bench.results.finals[0].chosen).configuration.text() == "SCALE=1");
  }

  TEST_CASE("the best of another GPU drops nobody for a difference that may be the GPUs'") {
    test::Bench bench;
    bench.sizes = {512};
    double told_ns = 0;
    const auto on = [&](std::size_t number, const std::vector<std::int64_t>& scales) {
      bench.adjust = [&](sweep::Request& request) {
        test::edit_values(request, scales);
        request.run.device = request.device;
        request.policy.final.finalists = 0;
      };
      const sweep::Request request = bench.request();
      test::ScaleRunner runner(
          [&](int, const model::TrialJob& job) {
            told_ns = job.best_ns;
            return ok_in(1000);
          },
          number);
      bench.run_on(request, {&runner});
    };
    on(1, {1});
    SUBCASE("the same GPU") {
      on(1, {1, 2});
      CHECK(told_ns == 1000);
    }
    SUBCASE("another") {
      on(0, {1, 2});
      CHECK(told_ns == doctest::Approx(1000 * sweep::DeviceSpread::unlike));
    }
  }

  TEST_CASE("devices that are alike are compared once, and that is told") {
    Host host;
    host.bench.sizes = {512, 1024, 2048};
    host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
      return ok_in(1000.0 / scale * (device == 1 ? 1.004 : 1));
    };
    host.run();
    const auto& notices = host.bench.watcher.notices;
    CHECK(std::count_if(notices.begin(), notices.end(), [](const std::string& notice) {
            return notice.find("cuda:1 1.004; they differ by no more") != std::string::npos;
          }) == 1);
    CHECK(host.launches() == 15 + comparisons(2));
  }

  TEST_CASE("a trial on a slow device is dropped by what the best would take there") {
    Host host;
    host.bench.sizes = {512, 640, 768, 896, 1024, 1152, 8192};
    std::mutex mutex;
    std::map<std::size_t, std::set<double>> told;  ///< by device, of the last problem
    host.behave = [&](std::size_t device, int scale, const model::TrialJob& job) {
      const bool is_last = job.plan.steps.at(0).grid.x * scale == 8192 / 32;
      const std::lock_guard lock(mutex);
      if (is_last && !host.runners[device]->is_in_final && job.best_ns > 0) told[device].insert(job.best_ns);
      return ok_in(device == 1 ? 2000 : 1000);
    };
    host.run();
    // The fast device goes by what is recorded until it has a time of its own.
    for (const double best_ns : told[0]) CHECK((best_ns == 1000 || best_ns == 2000));
    for (const double best_ns : told[1]) CHECK(best_ns == 2000);
    CHECK(told[0].size() + told[1].size() > 0);
  }

  TEST_CASE("a budget that is spent while devices are compared keeps nobody from a final") {
    Host host;
    host.bench.sizes = {512, 1024};
    host.bench.adjust = [](sweep::Request& request) { request.budget.seconds = 1e6; };
    std::mutex mutex;
    std::set<model::Digest> raced;
    host.behave = [&](std::size_t, int scale, const model::TrialJob& job) {
      const std::lock_guard lock(mutex);
      if (!raced.insert(job.key).second) host.bench.later_s = 1e6;  // the first comparison
      return ok_in(1000.0 / scale);
    };
    host.run();
    CHECK(host.summary.finals >= 1);
    const bool is_all = host.summary.finals == 2 && host.summary.finished == host.summary.planned;
    CHECK(host.summary.ending == (is_all ? sweep::Ending::done : sweep::Ending::budget_spent));
  }

  TEST_CASE("what a fast device dropped stays known where the best was measured by a slow one") {
    const std::vector<std::int64_t> scales = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (const double slower : {1.05, 1.1, 1.15}) {
      CAPTURE(slower);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        CAPTURE(seed);
        Host host;
        host.bench.sizes = {512, 640, 768, 896, 1024, 1152, 8192};
        host.bench.adjust = [&](sweep::Request& request) {
          request.seed = seed;
          test::edit_values(request, scales);
        };
        host.behave = [&](std::size_t device, int scale, const model::TrialJob& job) {
          model::TrialOutcome outcome =
              ok_in((scale == 1 ? 1000 : 1152 + scale) * (device == 1 ? slower : 1));
          if (job.best_ns > 0 && outcome.measurement->median_ns > 1.15 * job.best_ns)
            outcome.status = model::TrialStatus::dropped;
          return outcome;
        };
        host.run();
        CHECK(sweep::list_trials(host.bench.request(), host.bench.results).reopened() == 0);
      }
    }
  }
}
