#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/contains.hpp"
#include "tests/sweep/scripted_strategy.hpp"
#include "tests/sweep/several_devices.hpp"
#include "tuner/sweep/budget.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// A bench of several sizes: how many trials each has, and how each search ended, by the size.
struct Sizes : Bench {
  Sizes() {
    script = {};
    strategies = {scripted_kind()};
    sizes = {1024, 2048, 4096, 8192};
    adjust = [this](sweep::Request& request) {
      request.strategy = "scripted";
      request.budget = budget;
    };
  }
  std::map<std::int64_t, int> tried() const {
    std::map<std::int64_t, int> count;
    for (const auto& [key, record] : results.trials()) ++count[record.problem.sizes[0].value];
    return count;
  }
  sweep::Budget budget;
};

using Counts = std::map<std::int64_t, int>;

/// Compilers that end together: a wave ends when all of them work, or when for 0.2 s no other has begun.
class Waves {
 public:
  explicit Waves(int compilers) : m_compilers(compilers) {}
  /// Called by each compiler; `end` by the one that ends a wave.
  void compile(const std::function<void()>& end) {
    std::unique_lock lock(m_mutex);
    const int wave = m_wave;
    most = std::max(most, ++m_working);
    m_changed.notify_all();
    while (wave == m_wave && m_working < m_compilers)
      if (m_changed.wait_for(lock, std::chrono::milliseconds(200)) == std::cv_status::timeout) break;
    if (wave != m_wave) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // what the wave before made is launched
    ++m_wave;
    m_working = 0;
    end();
    m_changed.notify_all();
  }
  int most = 0;  ///< that worked at once

 private:
  int m_compilers;
  int m_wave = 0;
  int m_working = 0;
  std::mutex m_mutex;
  std::condition_variable m_changed;
};

}  // namespace

TEST_SUITE("tuner::sweep::BudgetShares") {
  TEST_CASE("who begins has an equal part of what is left, and who ends early leaves more to the others") {
    double now = 100;
    double worked = 0;
    const auto shares = [&](const sweep::Budget& budget, std::size_t devices) {
      now = 100;
      return sweep::BudgetShares(
          budget, [&] { return now; }, [&](std::optional<std::size_t>) { return worked; }, devices);
    };
    sweep::BudgetShares time = shares({60, {}, {}, true}, 1);
    CHECK(time.share(0, 3).until == 120);
    now = 105;
    CHECK(time.share(0, 2).until == 132.5);
    CHECK_FALSE(time.share(0, 1).until);
    CHECK_FALSE(time.is_over(0, time.share(0, 2)));
    now = 160;
    CHECK(time.is_spent());
    CHECK(shares({60, {}, {}, true}, 2).share(0, 3).until == 140);
    CHECK(shares({60, {}, {}, true}, 4).share(0, 3).until == 160);
    sweep::BudgetShares device = shares({{}, 9, {}, true}, 1);
    worked = 3;
    const auto share = device.share(0, 3);
    CHECK(share.device_until == 5);
    worked = 5;
    CHECK(device.is_over(0, share));
    CHECK_FALSE(device.is_spent());
    sweep::BudgetShares trials = shares({{}, {}, 10, true}, 1);
    CHECK(trials.share(0, 4).trials == 3);
    trials.count(3);
    CHECK(trials.share(0, 3).trials == 3);
    CHECK(trials.share(0, 2, {1, 1, 0, 0}).trials == 6);
    CHECK(trials.share(0, 2, {1, 7, 0, 0}).trials == 1);
    trials.count(7);
    CHECK(trials.is_spent());
    CHECK_FALSE(shares({}, 1).is_spent());
    CHECK_FALSE(shares({60, {}, {}, false}, 1).share(0, 3).until);
  }

  TEST_CASE("whose turn comes while others have theirs gets what is not promised to these") {
    double now = 0;
    std::map<std::size_t, double> worked;
    const auto device_seconds = [&](std::optional<std::size_t> problem) {
      return problem ? worked[*problem] : worked[0] + worked[1] + worked[2];
    };
    const auto shares_of = [&](const sweep::Budget& budget) {
      return sweep::BudgetShares(
          budget, [&] { return now; }, device_seconds, 2);
    };
    sweep::BudgetShares::Promised promised;
    // Of four problems the first two share the devices; each has half of the time of one of them.
    const sweep::BudgetShares shares = shares_of({60, {}, {}, true});
    const auto first = shares.share(0, 4);
    CHECK(first.until == 30);
    now = 10;
    shares.promise(0, first, 0, promised);
    const auto second = shares.share(1, 4, promised);
    CHECK(*second.until == doctest::Approx(10 + (2 * 50 - 20) / 3.0));
    now = 30;
    promised = {};
    shares.promise(1, second, 0, promised);
    CHECK(*shares.share(2, 3, promised).until == doctest::Approx(30 + (2 * 30 - (*second.until - 30)) / 2));
    // Of devices' time each takes its own, however many have their turn.
    const sweep::BudgetShares of_devices = shares_of({{}, 60, {}, true});
    const auto own = of_devices.share(0, 4);
    CHECK(own.device_until == 15);
    worked = {{0, 10}, {1, 30}};
    CHECK_FALSE(of_devices.is_over(0, own));
    promised = {};
    of_devices.promise(0, own, 0, promised);
    CHECK(of_devices.share(1, 3, promised).device_until == 30 + (20 - 5) / 2.0);
    worked[0] = 15;
    CHECK(of_devices.is_over(0, own));
    promised = {};
    shares.promise(0, {}, 0, promised);
    CHECK(promised.problems == 0);
  }

  TEST_CASE("a budget is shared among the sizes, and each has its final") {
    Sizes bench;
    bench.budget.trials = 8;
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::budget_spent);
    CHECK(summary.finished == 8);
    CHECK(bench.tried() == Counts{{1024, 2}, {2048, 2}, {4096, 2}, {8192, 2}});
    CHECK(summary.finals == 4);
    REQUIRE(bench.watcher.searches.size() == 4);
    for (const model::SearchRecord& search : bench.watcher.searches)
      CHECK(search.ending == model::SearchEnding::budget);
    // The next run goes on where each was.
    bench.run();
    CHECK(bench.tried() == Counts{{1024, 4}, {2048, 4}, {4096, 4}, {8192, 4}});
  }

  TEST_CASE("what a size does not need goes to the others, those before it too") {
    Sizes bench;
    bench.sizes = {8192};
    bench.run();
    bench.sizes = {1024, 2048, 8192};
    bench.budget.trials = 7;
    CHECK(bench.run().ending == sweep::Ending::budget_spent);
    Counts tried = bench.tried();
    CHECK(tried[8192] == 5);
    CHECK(tried[1024] + tried[2048] == 7);
    bench.budget.trials = 100;
    CHECK(bench.run().ending == sweep::Ending::done);
    CHECK(bench.tried() == Counts{{1024, 5}, {2048, 5}, {8192, 5}});
  }

  TEST_CASE("a size is left when its time is over, though it has more to try, and goes on after the others") {
    Sizes bench;
    bench.behave = [&bench](int scale, const model::TrialJob&) {
      bench.later_s = bench.later_s + 1;
      return ok_in(1000.0 / scale);
    };
    bench.budget.device_seconds = 8;
    CHECK(bench.run().ending == sweep::Ending::budget_spent);
    CHECK(bench.tried() == Counts{{1024, 2}, {2048, 2}, {4096, 2}, {8192, 2}});
    bench.budget = {1e6, {}, {}, true};
    CHECK(bench.run().ending == sweep::Ending::done);
    CHECK(bench.tried() == Counts{{1024, 5}, {2048, 5}, {4096, 5}, {8192, 5}});
  }

  TEST_CASE("compilers that take long leave no size out, and one binary a size keeps all of them busy") {
    constexpr int compilers = 8;
    Waves waves(compilers);
    Bench bench;
    bench.sizes = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000};
    model::KernelSpec spec = scale_spec();
    spec.derived = {{"ELEMENTS", "N", {}}};
    spec.macros = {{"ELEMENTS", {}}};  // no binary serves two sizes
    sweep::Budget budget;
    bool on_two = false;
    SUBCASE("with a budget of time, which ends before all binaries are there") {
      budget.seconds = 12;
    }
    SUBCASE("the same on two devices") {
      budget.seconds = 12;
      on_two = true;
    }
    SUBCASE("with a budget of devices' time") {
      budget.device_seconds = 100;
      spec.parameters[0].values = {std::int64_t{1}};
    }
    SUBCASE("without a budget") {
      spec.parameters[0].values = {std::int64_t{1}};
    }
    bench.adjust = [&](sweep::Request& request) {
      request.budget = budget;
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.on_compile = [&](int) { waves.compile([&bench] { bench.later_s = bench.later_s + 4; }); };
    ScaleRunner runner(bench.behave);
    ScaleRunner other(bench.behave, 1);
    std::vector<model::TrialRunner*> runners = {&runner};
    if (on_two) runners.push_back(&other);
    bench.run_on(bench.request(), runners, compilers);
    CHECK(waves.most == compilers);
    std::set<std::int64_t> sizes;
    for (const auto& [key, record] : bench.results.trials()) sizes.insert(record.problem.sizes[0].value);
    CHECK(sizes.size() == bench.sizes.size());
  }

  TEST_CASE("devices' time that is promised to sizes whose binaries are still compiled is kept for them") {
    Sizes bench;
    bench.strategies.clear();
    model::KernelSpec spec = scale_spec();
    spec.derived = {{"ELEMENTS", "N", {}}};
    spec.macros = {{"ELEMENTS", {}}};  // no binary serves two sizes
    bench.budget.device_seconds = 8;
    bench.adjust = [&](sweep::Request& request) {
      request.budget = bench.budget;
      request.work[0].kernel = space::KernelSpace(spec);
      request.policy.final.finalists = 0;
    };
    std::atomic<int> first = 0;
    bench.behave = [&](int scale, const model::TrialJob& job) {
      bench.later_s = bench.later_s + 1;
      if (job.plan.buffers.at(0).elements == 1024) ++first;
      return ok_in(1000.0 / scale);
    };
    bench.on_compile_with = [&](const std::vector<model::Macro>& macros) {
      const bool is_first = std::ranges::any_of(macros, [](const auto& one) { return one.value == "1024"; });
      for (int waited = 0; !is_first && first < 5 && waited < 300; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    ScaleRunner runner(bench.behave);
    CHECK(bench.run_on(bench.request(), {&runner}, 20).ending == sweep::Ending::budget_spent);
    CHECK(bench.tried() == Counts{{1024, 2}, {2048, 2}, {4096, 2}, {8192, 2}});
  }

  TEST_CASE(
      "a budget of device time counts neither the end of a process that a kernel broke nor another's start") {
    /// Starts a process before each trial, which it clears away behind it.
    struct Restarting final : model::TrialRunner {
      explicit Restarting(Sizes& its_bench) : bench(its_bench) {}
      const model::DeviceInfo& device() const override { return inner.device(); }
      model::TrialOutcome run(const model::TrialJob& job) override {
        bench.later_s = bench.later_s + 5;
        listener(model::TrialPhase::loading);
        bench.later_s = bench.later_s + 1;
        model::TrialOutcome outcome = inner.run(job);
        listener(model::TrialPhase::clearing);
        bench.later_s = bench.later_s + 5;
        return outcome;
      }
      model::FinalOutcome run_final(const model::FinalJob& job) override { return inner.run_final(job); }
      void report_phases_to(std::function<void(model::TrialPhase)> to) override { listener = std::move(to); }
      Sizes& bench;
      ScaleRunner inner{[](int, const model::TrialJob&) {
        return failed_in(model::TrialStatus::crashed, "it crashed", true);
      }};
      std::function<void(model::TrialPhase)> listener;
    };
    Sizes bench;
    Restarting runner(bench);
    bench.budget.device_seconds = 8;
    const sweep::Summary summary = bench.run_on(bench.request(), {&runner});
    CHECK(summary.ending == sweep::Ending::budget_spent);
    CHECK(bench.tried() == Counts{{1024, 2}, {2048, 2}, {4096, 2}, {8192, 2}});
    CHECK(summary.measuring_seconds < 9);
  }

  TEST_CASE("several devices keep to a budget of their time together, and the next run does the rest") {
    for (const std::size_t devices : {2, 3, 8}) {
      CAPTURE(devices);
      Sizes bench;
      std::mutex mutex;
      bench.behave = [&](int scale, const model::TrialJob&) {
        const std::lock_guard lock(mutex);
        bench.later_s = bench.later_s + 1;
        return ok_in(1000.0 / scale);
      };
      const auto run = [&] {
        std::vector<std::unique_ptr<ScaleRunner>> runners;
        std::vector<model::TrialRunner*> all;
        for (std::size_t device = 0; device < devices; ++device)
          all.push_back(runners.emplace_back(std::make_unique<ScaleRunner>(bench.behave, device)).get());
        return bench.run_on(bench.request(), all);
      };
      bench.budget.device_seconds = 8;
      CHECK(run().ending == sweep::Ending::budget_spent);
      const std::size_t tried = bench.results.trials().size();
      CHECK(tried > 0);
      CHECK(tried <= 8 + devices);  // what is under way when the time is over ends
      bench.budget = {};
      CHECK(run().ending == sweep::Ending::done);
      CHECK(bench.tried() == Counts{{1024, 5}, {2048, 5}, {4096, 5}, {8192, 5}});
    }
  }

  TEST_CASE("what a budget leaves no time to prepare is no failure, and is run when there is time") {
    Sizes bench;
    bench.budget.seconds = 10;
    bool has_time = false;
    bench.behave = [&](int scale, const model::TrialJob& job) {
      if (has_time || job.plan.buffers.at(0).elements == 1024) return ok_in(1000.0 / scale);
      bench.later_s = 20;
      throw model::NotPrepared{};
    };
    CHECK(bench.run().ending == sweep::Ending::budget_spent);
    CHECK(bench.tried().size() == 1);
    CHECK(std::ranges::any_of(bench.watcher.notices, [](const std::string& notice) {
      return contains(notice, "scale at 2048 float: its inputs and its reference were not made");
    }));
    CHECK(std::ranges::count_if(bench.results.calls,
                                [](const std::string& call) { return call.starts_with("withdrawn "); }) == 1);
    has_time = true;
    bench.later_s = 0;
    bench.budget.seconds.reset();
    const sweep::Summary rest = bench.run();
    CHECK(rest.ending == sweep::Ending::done);
    CHECK(rest.unprepared == 0);
    CHECK(bench.tried() == Counts{{1024, 5}, {2048, 5}, {4096, 5}, {8192, 5}});
  }

  TEST_CASE(
      "inputs that several devices or a shard have no time for are no failures, and are made when there is") {
    Sizes bench;
    bench.budget.seconds = 10;
    std::atomic<bool> has_time = false;
    const auto behave = [&](int scale, const model::TrialJob& job) {
      if (has_time || job.plan.buffers.at(0).elements == 1024) return ok_in(1000.0 / scale);
      bench.later_s = 20;
      throw model::NotPrepared{};
    };
    std::size_t devices = 1;
    bool is_shard = true;
    SUBCASE("three devices") {
      devices = 3;
      is_shard = false;
    }
    SUBCASE("a shard") {}
    SUBCASE("a shard on two devices") {
      devices = 2;
    }
    bench.adjust = [is_shard, own = bench.adjust](sweep::Request& request) {
      own(request);
      edit_values(request, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
      if (!is_shard) return;
      request.shard = sweep::Shard{1, 2};
      request.policy.final.finalists = 0;
    };
    const int each = is_shard ? 6 : 12;
    const auto run = [&] {
      std::vector<std::unique_ptr<ScaleRunner>> runners;
      std::vector<model::TrialRunner*> all;
      for (std::size_t device = 0; device < devices; ++device)
        all.push_back(runners.emplace_back(std::make_unique<ScaleRunner>(behave, device)).get());
      return bench.run_on(bench.request(), all);
    };
    CHECK(run().ending == sweep::Ending::budget_spent);
    CHECK(bench.tried().size() <= 1);
    has_time = true;
    bench.later_s = 0;
    bench.budget.seconds.reset();
    const sweep::Summary rest = run();
    CHECK(rest.ending == sweep::Ending::done);
    CHECK(rest.failed == 0);
    CHECK(bench.tried() == Counts{{1024, each}, {2048, each}, {4096, each}, {8192, each}});
    for (const auto& [key, record] : bench.results.trials())
      CHECK_FALSE(model::is_failure(record.outcome.status));
  }

  TEST_CASE("a part of a sweep shares its budget among the sizes, of its own configurations alone") {
    Sizes bench;
    bench.budget.trials = 8;
    const sweep::Shard shard{2, 3};
    bench.adjust = [&bench, own = bench.adjust, &shard](sweep::Request& request) {
      own(request);
      edit_values(request, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
      request.shard = shard;
      request.policy.final.finalists = 0;
    };
    CHECK(bench.run().ending == sweep::Ending::budget_spent);
    CHECK(bench.tried() == Counts{{1024, 2}, {2048, 2}, {4096, 2}, {8192, 2}});
    for (const auto& [key, record] : bench.results.trials()) CHECK(shard.has("scale", record.configuration));
  }

  TEST_CASE("several devices share a budget among the sizes, and each size has its final") {
    Sizes shared;
    Host host;
    host.bench.sizes = shared.sizes;
    host.bench.strategies = shared.strategies;
    host.bench.adjust = shared.adjust;
    shared.budget.trials = 12;
    host.run();
    CHECK(host.summary.ending == sweep::Ending::budget_spent);
    CHECK(host.summary.finished == 12);
    Counts tried;
    for (const auto& [key, record] : host.bench.results.trials()) ++tried[record.problem.sizes[0].value];
    CHECK(tried == Counts{{1024, 3}, {2048, 3}, {4096, 3}, {8192, 3}});
    CHECK(host.finals() == 4);
  }

  TEST_CASE("how far one size is when another begins changes no share") {
    Sizes shared;
    Host host;
    host.bench.sizes = shared.sizes;
    host.bench.strategies = shared.strategies;
    host.bench.adjust = shared.adjust;
    shared.budget.trials = 12;
    // The last size begins while the one before it has begun two of its three.
    std::mutex mutex;
    Counts begun;
    const auto has_begun = [&](std::int64_t size, int trials) {
      const std::lock_guard lock(mutex);
      return begun[size] >= trials;
    };
    host.behave = [&](std::size_t, int scale, const model::TrialJob& job) {
      const std::int64_t size = job.plan.buffers.at(0).elements;
      int number = 0;
      {
        const std::lock_guard lock(mutex);
        number = ++begun[size];
      }
      const auto await = [&](std::int64_t other, int trials) {
        for (int waited = 0; !has_begun(other, trials) && waited < 3000; ++waited)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      };
      if (size == 2048 && number == 2) await(4096, 2);
      if (size == 4096 && number == 2) await(8192, 1);
      return ok_in(1000.0 / scale);
    };
    host.run();
    Counts tried;
    for (const auto& [key, record] : host.bench.results.trials()) ++tried[record.problem.sizes[0].value];
    CHECK(tried == Counts{{1024, 3}, {2048, 3}, {4096, 3}, {8192, 3}});
  }

  TEST_CASE("who asks for whole sizes has them one after another") {
    Sizes bench;
    bench.budget = {{}, {}, 8, false};
    bench.run();
    CHECK(bench.tried() == Counts{{1024, 5}, {2048, 3}});
  }

  TEST_CASE("each size has a trial however small its share, as far as the budget goes") {
    Sizes bench;
    bench.budget.trials = 3;
    CHECK(bench.run().finished == 3);
    CHECK(bench.tried() == Counts{{1024, 1}, {2048, 1}, {4096, 1}});
  }
}
