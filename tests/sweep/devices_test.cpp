#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "tests/sweep/scripted_strategy.hpp"
#include "tests/sweep/several_devices.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using test::comparisons;
using test::failed_in;
using test::Host;
using test::many_sizes;
using test::ok_in;
using test::ScaleRunner;

TEST_SUITE("tuner::sweep, several devices") {
  TEST_CASE("trials are shared out, each is raced once, and its record says where") {
    for (const std::size_t devices : {2, 3, 16}) {
      CAPTURE(devices);
      Host host;
      host.devices = devices;
      host.bench.sizes = many_sizes();
      std::mutex mutex;
      std::map<std::pair<std::int64_t, int>, int> times_raced;
      std::set<std::size_t> used;
      host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
        const std::lock_guard lock(mutex);
        used.insert(device);
        return ok_in(1000.0 / scale);
      };
      host.run();
      CHECK(host.summary.finished == 5 * 25);
      CHECK(host.bench.results.trials().size() == 5 * 25);
      CHECK(host.launches() == 5 * 25 + comparisons(devices));
      CHECK(used.size() == devices);
      CHECK(host.summary.finals == 25);
      CHECK(host.finals() == 25);
      std::int64_t trials = 0;
      for (const sweep::Summary::Device& device : host.summary.devices) trials += device.trials;
      CHECK(trials == 5 * 25);
      for (const auto& [uuid, count] : host.shares()) CHECK(uuid.starts_with("GPU-"));
    }
  }

  TEST_CASE("several devices go from the largest problem down, unless a strategy learns from those before") {
    test::Bench bench;
    bench.sizes = {64, 512, 128};
    const auto order = [&](const std::string& strategy, std::size_t devices) {
      bench.adjust = [strategy](sweep::Request& request) { request.strategy = strategy; };
      const sweep::Request request = bench.request();
      const sweep::TrialList list = sweep::list_trials(request, bench.results);
      const sweep::StrategyChoice choice(request.strategy);
      std::vector<std::int64_t> sizes;
      for (const std::size_t group : sweep::beginning_order(request, choice, list, devices))
        sizes.push_back(list.groups[group].problem.sizes.front().value);
      return sizes;
    };
    CHECK(order("random", 1) == std::vector<std::int64_t>{64, 512, 128});
    CHECK(order("random", 2) == std::vector<std::int64_t>{64, 512, 128});
    CHECK(order("learn", 2) == order("learn", 1));
  }

  TEST_CASE("where the time of each device went adds up to the sweep's") {
    Host host;
    host.devices = 2;
    host.bench.sizes = many_sizes();
    host.behave = [](std::size_t, int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
    const auto began = std::chrono::steady_clock::now();
    host.run();
    const double whole_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    REQUIRE(host.summary.devices.size() == 2);
    for (const sweep::Summary::Device& device : host.summary.devices) {
      struct Sum {
        double seconds = 0;
        void operator()(const char*, double part) { seconds += part; }
      } sum;
      describe(sum, device.time);
      CAPTURE(device.time.text());
      CHECK(sum.seconds < whole_s + 0.001);
      CHECK(sum.seconds > 0.5 * whole_s - 0.2);  // before and behind it the sweep is made and read
      CHECK(device.time.trials > 0);             // each sleeps a millisecond
      CHECK(device.time.libraries == 0);
    }
  }

  TEST_CASE("a sweep that has nothing to try opens no device") {
    struct Opened final : model::TrialRunner {
      const model::DeviceInfo& device() const override { return inner.device(); }
      void prepare() override { ++prepared; }
      model::TrialOutcome run(const model::TrialJob& job) override { return inner.run(job); }
      model::FinalOutcome run_final(const model::FinalJob& job) override { return inner.run_final(job); }
      ScaleRunner inner{[](int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); }};
      int prepared = 0;
    };
    Opened runner;
    test::script = {};
    test::script.gain_after = {{3, 0.001}};
    test::Bench bench;
    bench.strategies = {test::scripted_kind()};
    bench.adjust = [](sweep::Request& request) {
      request.strategy = "scripted";
      request.until = 0.01;
    };
    const sweep::Summary first = bench.run_on(bench.request(), {&runner});
    CHECK(first.finished > 0);
    CHECK(first.finished < first.planned);
    CHECK(runner.prepared == 1);
    const sweep::Summary again = bench.run_on(bench.request(), {&runner});
    CHECK(again.known == first.finished);
    CHECK(again.finished == 0);
    CHECK(runner.prepared == 1);
  }

  TEST_CASE(
      "strategies of problems that are searched at once think side by side, and nothing of theirs is lost") {
    /// Waits in next() until another is in it too, or nobody comes; never again once two have met.
    struct Thinker final : search::Strategy {
      struct Room {
        std::mutex mutex;
        std::condition_variable changed;
        int inside = 0;
        int meetings = 0;
      };
      Thinker(const search::SearchSpace& whole, Room& shared) : space(whole), room(shared) {}
      std::optional<search::Proposal> next() override {
        while (space.is_begun(given)) ++given;
        if (given == space.size()) return std::nullopt;
        std::unique_lock lock(room.mutex);
        if (++room.inside == 2) ++room.meetings;
        room.changed.notify_all();
        room.changed.wait_for(lock, 200ms, [this] { return room.meetings > 0; });
        --room.inside;
        return search::Proposal{given++, "thought"};
      }
      void report(std::size_t, const search::Result&) override {}
      std::size_t lookahead() const override { return 2; }
      const search::SearchSpace& space;
      std::size_t given = 0;
      Room& room;
    };
    static Thinker::Room room;  // strategies are made by a plain function
    Host host;
    host.bench.sizes = {512, 1024, 2048};
    search::StrategyKind kind = test::scripted_kind("thinker");
    kind.make = [](const search::SearchSpace& space, std::uint64_t,
                   const search::Settings&) -> std::unique_ptr<search::Strategy> {
      return std::make_unique<Thinker>(space, room);
    };
    host.bench.strategies = {kind};
    host.bench.adjust = [](sweep::Request& request) { request.strategy = "thinker"; };
    host.run();
    CHECK(room.meetings > 0);
    CHECK(host.bench.results.trials().size() == 15);
    CHECK(host.summary.finals == 3);
  }

  TEST_CASE("strategies that think side by side may ask at the same time for what is known elsewhere") {
    /// Asks as soon as another does, or nobody comes.
    struct Asker final : search::Strategy {
      struct Room {
        std::mutex mutex;
        std::condition_variable changed;
        int came = 0;
      };
      Asker(const search::SearchSpace& whole, Room& shared) : space(whole), room(shared) {}
      std::optional<search::Proposal> next() override {
        if (given == 0) {
          std::unique_lock lock(room.mutex);
          const int number = ++room.came;
          room.changed.notify_all();
          room.changed.wait_for(lock, 20ms, [&] { return room.came > number || number % 2 == 0; });
          lock.unlock();
          space.priors();
        }
        if (given == space.size()) return std::nullopt;
        return search::Proposal{given++, "asked"};
      }
      void report(std::size_t, const search::Result&) override {}
      const search::SearchSpace& space;
      std::size_t given = 0;
      Room& room;
    };
    static Asker::Room room;
    search::StrategyKind kind = test::scripted_kind("asker");
    kind.make = [](const search::SearchSpace& space, std::uint64_t,
                   const search::Settings&) -> std::unique_ptr<search::Strategy> {
      return std::make_unique<Asker>(space, room);
    };
    for (int sweeps = 0; sweeps < 10; ++sweeps) {  // not each time do two meet
      Host host;
      host.devices = 4;
      host.bench.sizes = many_sizes();
      host.bench.strategies = {kind};
      host.bench.adjust = [](sweep::Request& request) { request.strategy = "asker"; };
      host.run();
      CHECK(host.bench.results.trials().size() == 5 * 25);
    }
  }

  TEST_CASE(
      "what was chosen is shared out among devices, each trial once, and an interruption leaves the rest") {
    Host host;
    host.bench.sizes = {512, 1024, 2048, 4096};
    host.bench.adjust = [](sweep::Request& request) {
      request.strategy = "exhaustive";
      request.policy.cuts.clear();
    };
    const sweep::Request request = host.bench.request();
    for (const model::Problem& problem : request.work.front().problems)
      for (const std::int64_t scale : {16, 2})
        host.chosen.push_back({"scale", problem, model::Configuration({{"SCALE", scale}})});
    host.bench.watcher.on_finished = [&](const model::TrialRecord&) {
      host.bench.stop = host.bench.watcher.ended >= 3;
    };
    host.run();
    const std::size_t before = host.bench.results.trials().size();
    CHECK(host.summary.ending == sweep::Ending::interrupted);
    CHECK(before < 8);
    host.bench.watcher.on_finished = nullptr;
    host.bench.stop = false;
    host.run();
    CHECK(host.summary.finished == static_cast<std::int64_t>(8 - before));
    CHECK(host.bench.results.trials().size() == 8);
    CHECK(host.shares().size() == 2);
    CHECK(host.bench.results.finals.size() == 4);
    host.run();
    CHECK(host.summary.finished == 0);
  }

  TEST_CASE("every finalist of a final is measured on one device") {
    Host host;
    host.devices = 4;
    host.bench.sizes = {512, 640, 768, 896, 1024, 1152};
    host.behave = [](std::size_t, int, const model::TrialJob&) { return ok_in(1000); };
    host.run();
    REQUIRE(host.bench.results.finals.size() == 6);
    for (const model::FinalRecord& final : host.bench.results.finals) {
      CHECK(final.entries.size() == 5);
      std::set<std::string> gpus;
      for (const model::FinalRecord::Entry& entry : final.entries)
        gpus.insert(host.bench.results.trials().at(entry.trial).gpu);
      CHECK(gpus.size() == 1);
    }
  }

  TEST_CASE("a final after a spent budget of time has half of what is left for each of its parts") {
    Host host;
    host.devices = 1;
    host.bench.sizes = {512};
    host.bench.adjust = [](sweep::Request& request) { request.budget.seconds = 1e6; };
    int raced = 0;
    host.behave = [&](std::size_t, int scale, const model::TrialJob&) {
      if (++raced == 3) host.bench.later_s = 1e6;
      return ok_in(1000.0 / scale);
    };
    double limit_ns = 0;
    host.bench.on_final = [&](const model::FinalJob& job) {
      limit_ns = job.trials.at(0).policy.final.time_limit_ns;
    };
    host.run();
    CHECK(host.summary.ending == sweep::Ending::budget_spent);
    CHECK(host.summary.finals == 1);
    CHECK(limit_ns > 0.6e9);
    CHECK(limit_ns <= 0.75e9);  // of the 1.5 s that finals may take beyond a budget
  }

  TEST_CASE("stop ends the sweep after the launches in hand, and none of them is lost") {
    Host host;
    host.devices = 4;
    host.bench.sizes = many_sizes();
    host.bench.watcher.on_finished = [&](const model::TrialRecord&) {
      if (host.bench.watcher.ended == 10) host.bench.stop = true;
    };
    host.run();
    CHECK(host.summary.ending == sweep::Ending::interrupted);
    CHECK(host.summary.finished == static_cast<std::int64_t>(host.bench.results.trials().size()));
    CHECK(host.launches() <= host.bench.results.trials().size() + comparisons(4));
    CHECK(host.summary.finished <= 10 + 4 + 4);  // those in hand, and those that had just ended
    host.bench.stop = false;
    const std::int64_t before = host.summary.finished;
    host.run();
    CHECK(host.summary.known == before);
    CHECK(host.bench.results.trials().size() == 5 * 25);
  }

  TEST_CASE("a budget of trials is kept to, however many devices there are") {
    Host host;
    host.devices = 8;
    host.bench.sizes = many_sizes();
    host.bench.adjust = [](sweep::Request& request) { request.budget.trials = 13; };
    host.run();
    CHECK(host.summary.ending == sweep::Ending::budget_spent);
    CHECK(host.bench.results.trials().size() == 13);
    CHECK(host.summary.finals > 0);
  }

  TEST_CASE("what failed its probes on one device is condemned on all") {
    Host host;
    host.devices = 4;
    host.bench.sizes = many_sizes();
    std::mutex mutex;
    int launched = 0;
    host.behave = [&](std::size_t, int scale, const model::TrialJob& job) {
      if (scale != 4) return ok_in(1000.0 / scale);
      const std::lock_guard lock(mutex);
      ++launched;
      CHECK_FALSE(job.probes.empty());
      model::TrialOutcome wrong = failed_in(model::TrialStatus::wrong_result, "scripted probe");
      wrong.subject = model::Subject::binary;
      return wrong;
    };
    host.run();
    int condemned = 0;
    for (const auto& [key, record] : host.bench.results.trials()) {
      if (record.configuration.text() != "SCALE=4") continue;
      CHECK(record.outcome.status == model::TrialStatus::wrong_result);
      CHECK(record.outcome.detail == "scripted probe");
      ++condemned;
    }
    CHECK(condemned == 25);
    CHECK(launched <= 4);  // who had it in hand when the first one failed
  }

  TEST_CASE("a library is raced once, wherever, and is measured in each final on the final's device") {
    Host host;
    host.bench.sizes = {512, 1024, 1536};
    host.bench.adjust = test::add_library;
    host.run();
    std::size_t races = 0;
    for (const auto& runner : host.runners) {
      races += static_cast<std::size_t>(
          std::count(runner->launched.begin(), runner->launched.end(), test::library_scale));
      for (const std::vector<int>& finalists : runner->finals)
        CHECK(std::count(finalists.begin(), finalists.end(), test::library_scale) == 1);
    }
    CHECK(races == 3);
    CHECK(host.finals() == 3);
  }

  TEST_CASE(
      "a part of a sweep on two devices keeps to its budget and to its own trials, libraries included") {
    Host host;
    host.bench.sizes = {1024, 2048};
    std::vector<std::int64_t> scales;
    for (std::int64_t scale = 1; scale <= 40; ++scale) scales.push_back(scale);
    sweep::Shard shard{1, 2};
    std::optional<std::int64_t> budget = 7;
    host.bench.adjust = [&](sweep::Request& request) {
      test::edit_values(request, scales);
      test::add_library(request);
      request.shard = shard;
      request.budget.trials = budget;
      request.policy.final.finalists = 0;
    };
    host.run();
    CHECK(host.bench.results.trials().size() == 7);
    std::size_t launches = host.launches();
    budget = std::nullopt;
    host.run();
    launches += host.launches();
    const std::size_t first = host.bench.results.trials().size();
    CHECK(first < 2 * 41);
    CHECK(host.summary.ending == sweep::Ending::done);
    shard = {2, 2};
    host.run();
    launches += host.launches();
    CHECK(first + static_cast<std::size_t>(host.summary.finished) == 2 * 41);
    CHECK(host.bench.results.trials().size() == 2 * 41);
    CHECK(launches <= 2 * 41 + 2 * comparisons(2));  // none twice, but for what tells devices apart
    CHECK(host.finals() == 0);
  }
}
