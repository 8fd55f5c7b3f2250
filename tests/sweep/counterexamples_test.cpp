// Where a sweep that is nearly right does something else.
#include <numeric>

#include "tests/support/contains.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tests/sweep/scripted_strategy.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/trial_maker.hpp"

using namespace tuner;
using namespace tuner::test;
using model::TrialStatus;

namespace {

/// A bench whose sweeps follow `script` and end where less than 1 % is expected of the rest.
struct Ending : Bench {
  Ending() {
    script = {};
    script.gain_after = {{0, 0.5}, {3, 0.004}};
    strategies = {scripted_kind()};
    adjust = [this](sweep::Request& request) {
      request.strategy = "scripted";
      request.until = 0.01;
      if (further) further(request);
    };
  }
  std::function<void(sweep::Request&)> further;
};

model::Digest probe_key(const Bench& bench) {
  return bench.trial("SCALE=1").probe_key;
}

}  // namespace

TEST_SUITE("tuner::sweep, counterexamples") {
  TEST_CASE("a library is not dropped by the best of before") {
    Bench bench;
    bench.run();
    bench.adjust = add_library;
    bench.behave = [](int scale, const model::TrialJob& job) {
      if (job.role == model::Role::baseline) CHECK(job.best_ns == 0);
      return ok_in(scale == library_scale ? 1e9 : 1000.0 / scale);
    };
    bench.run();
    CHECK(bench.launched == std::vector<int>{library_scale});
  }

  TEST_CASE("the time at which a trial was dropped drops nobody") {
    Bench bench;
    std::set<double> told;
    bench.behave = [&](int scale, const model::TrialJob& job) {
      told.insert(job.best_ns);
      model::TrialOutcome outcome = ok_in(scale == 16 ? 1000 : 1);
      if (scale != 16) outcome.status = TrialStatus::dropped;
      return outcome;
    };
    bench.run();
    CHECK(bench.launched.size() == 9);  // four twice: nobody is as fast as what they were dropped with
    CHECK_FALSE(told.contains(1));
  }

  TEST_CASE(
      "what the best took on a slow device is told each device as it would take it, or as is recorded") {
    Bench bench;
    const sweep::Request request = bench.request();
    FakeCompilerLog log;
    compile::CompilePool pool(1, [&] { return std::make_unique<FakeCompiler>(log); });
    sweep::Services services = bench.services(pool, {});
    sweep::DeviceSpread spread({"a", "b"});
    spread.begin();
    for (std::size_t run = 0; run < sweep::DeviceSpread::runs; ++run) {
      for (const std::size_t device : {0U, 1U}) {
        REQUIRE(spread.claim(device));
        spread.add(device, sweep::DeviceSpread::Taken{device == 0 ? 1000.0 : 2000.0});
      }
    }
    sweep::BestTimes best(request, services, spread);
    sweep::CompiledTrial trial;
    trial.trial.record.problem = request.work[0].problems[0];
    trial.trial.record.outcome = ok_in(500);
    best.learn(trial, 1);
    CHECK(best.of(trial, 0) == 500);  // it would take 250, and the records say 500
    CHECK(best.of(trial, 1) == 500);
    trial.trial.record.outcome = ok_in(240);
    best.learn(trial, 0);
    CHECK(best.of(trial, 0) == 240);
    CHECK(best.of(trial, 1) == 480);
  }

  TEST_CASE("what was expected of the rest is not, once more has been tried without saying") {
    Ending bench;
    CHECK(bench.run().finished == 3);
    script.gain_after = {};
    bench.further = [](sweep::Request& request) {
      request.until = 0;
      request.budget.trials = 1;
    };
    CHECK(bench.run().finished == 1);
    bench.further = nullptr;
    CHECK(bench.run().finished == 1);
  }

  TEST_CASE("a shard goes on where the whole space was searched enough, since it is another space") {
    Ending bench;
    bench.run();
    script.gain_after = {};
    std::int64_t more = 0;
    for (int number = 1; number <= 2; ++number) {
      bench.further = [number](sweep::Request& request) { request.shard = sweep::Shard{number, 2}; };
      more += bench.run().finished;
    }
    CHECK(more == 2);
  }

  TEST_CASE("who measures afresh does not take the word of before that little is left") {
    Ending bench;
    bench.run();
    bench.further = [](sweep::Request& request) { request.fresh = true; };
    CHECK(bench.run().finished == 3);
  }

  TEST_CASE("every size is searched in an order of its own") {
    Bench bench;
    bench.sizes = {512, 1024, 2048};
    static std::vector<std::uint64_t> seeds;
    seeds.clear();
    search::StrategyKind kind = scripted_kind();
    kind.make = [](const search::SearchSpace& space, std::uint64_t seed, const search::Settings&) {
      seeds.push_back(seed);
      return std::unique_ptr<search::Strategy>(std::make_unique<ScriptedStrategy>(space, script));
    };
    script = {};
    bench.strategies = {kind};
    bench.adjust = [](sweep::Request& request) { request.strategy = "scripted"; };
    bench.run();
    CHECK(std::set<std::uint64_t>(seeds.begin(), seeds.end()).size() == 3);
  }

  TEST_CASE("until 0 is until the end of the space, in a large one too") {
    const std::vector<search::StrategyKind> own = {scripted_kind("learn")};
    const sweep::StrategyChoice choice("auto", own);
    CHECK_FALSE(choice.until(1000, 0.0));
    CHECK(choice.until(1000, 0.02) == 0.02);
    CHECK(choice.until(1000, std::nullopt) > 0);
    CHECK_FALSE(choice.until(10, std::nullopt));
    CHECK_FALSE(sweep::StrategyChoice("random", own).until(1000, std::nullopt));
  }

  TEST_CASE("a strategy that learns ends by itself, named or not, unless told otherwise") {
    const sweep::StrategyChoice choice("learn");
    CHECK(choice.until(1000, std::nullopt) == sweep::StrategyChoice("auto").until(1000, std::nullopt));
    CHECK(choice.until(10, std::nullopt) == choice.until(1000, std::nullopt));
    CHECK(choice.until(1000, 0.02) == 0.02);
    CHECK_FALSE(choice.until(1000, 0.0));
    CHECK_FALSE(sweep::StrategyChoice("genetic").until(1000, std::nullopt));
  }

  TEST_CASE("a library is never chosen, though nobody else is surely as fast as the fastest") {
    Bench bench;
    bench.adjust = add_library;
    bench.behave = [](int, const model::TrialJob&) { return ok_in(1000); };
    bench.doubt = [](model::FinalOutcome& outcome) {
      for (model::Standing& standing : outcome.standings) standing.ratio_high = 1.02;
      outcome.standings.back().tied = true;
      outcome.standings.back().ratio_high = 1;
    };
    bench.run();
    const model::FinalRecord& final = bench.results.finals.at(0);
    CHECK(bench.results.trials().at(final.chosen).kernel == "scale");
    CHECK(bench.results.trials().at(final.entries.back().trial).kernel == "libscale");
  }

  TEST_CASE("of those that are tied with as few registers the one with the smallest block is chosen") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.steps[0].block = {{"32 * SCALE", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.behave = [](int scale, const model::TrialJob&) { return ok_in(scale == 8 ? 2000 : 1000); };
    bench.run();
    CHECK(bench.results.trials().at(bench.results.finals.at(0).chosen).configuration.text() == "SCALE=1");
  }

  TEST_CASE("a library alone holds no final, since nobody could win it") {
    Bench bench;
    bench.run();
    bench.adjust = [](sweep::Request& request) {
      add_library(request);
      request.work.erase(request.work.begin());
    };
    bench.run();
    CHECK(bench.launched == std::vector<int>{library_scale});
    CHECK(bench.finals.empty());
    CHECK(bench.results.finals.size() == 1);
  }

  TEST_CASE("a library that its spec names no longer is in no final, and is back once it is named again") {
    const auto with_path = [](sweep::Request& request, bool named) {
      model::KernelSpec spec = scale_spec();
      spec.path = "/tmp/scale.toml";
      model::KernelSpec library = library_spec();
      library.path = spec.path;
      request.work[0].kernel = space::KernelSpace(spec);
      if (named) request.work.push_back({space::KernelSpace(library), request.work[0].problems});
    };
    Bench bench;
    bench.adjust = [&](sweep::Request& request) { with_path(request, true); };
    bench.run();
    const auto entries = [&] { return bench.results.finals.back().entries.size(); };
    const std::size_t with = entries();
    CHECK(bench.results.store.connection().integer("SELECT count(*) FROM trials WHERE superseded") == 0);
    bench.adjust = [&](sweep::Request& request) {
      with_path(request, false);
      request.fresh = true;
    };
    bench.run();
    CHECK(bench.results.store.connection().integer("SELECT count(*) FROM trials WHERE superseded") == 1);
    CHECK(entries() == with - 1);
    bench.adjust = [&](sweep::Request& request) { with_path(request, true); };
    bench.run();
    CHECK(bench.launched.empty());
    CHECK(bench.results.store.connection().integer("SELECT count(*) FROM trials WHERE superseded") == 0);
  }

  TEST_CASE("a library of another spec, which nobody asked for, is not missed in a final") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec library = library_spec();
      library.path = "/tmp/other.toml";
      request.work.push_back({space::KernelSpace(library), request.work[0].problems});
    };
    bench.run();
    bench.adjust = [](sweep::Request& request) { edit_values(request, {1, 2, 4, 8, 16, 32}); };
    bench.run();
    CHECK(bench.finals.size() == 1);
    CHECK(bench.watcher.notices.empty());
  }

  TEST_CASE("a kernel that is only at hand is known by its spec of today, too") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec rival = scale_spec();
      rival.name = "rival";
      request.rivals.push_back({space::KernelSpace(rival), request.work[0].problems});
    };
    bench.run();
    const auto declared = bench.results.declared("scaling");
    CHECK(declared.size() == 2);
    CHECK(
        std::any_of(declared.begin(), declared.end(), [](const auto& one) { return one.kernel == "rival"; }));
  }

  TEST_CASE("a final has as many as its policy says, and those are the fastest that raced") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      request.policy.final.finalists = 2;
      request.policy.final.within = 100;
    };
    std::set<int> compiled_again;
    std::mutex mutex;
    std::map<int, int> compiled;
    bench.on_compile = [&](int scale) {
      const std::lock_guard lock(mutex);
      ++compiled[scale];
    };
    bench.run();
    CHECK(std::set<int>(bench.finals.at(0).begin(), bench.finals.at(0).end()) == std::set<int>{8, 16});
    // Their binaries were kept.
    for (const auto& [scale, times] : compiled) CHECK(times == 1);
  }

  TEST_CASE("a step after the first has to be launchable, too") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.steps.push_back(spec.steps[0]);
      spec.steps[1].block = {{"64", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.oracle.why_unlaunchable = [](const model::KernelResources&, const model::Step& step) {
      return step.block.x == 64 ? std::optional<std::string>("64 threads are too many") : std::nullopt;
    };
    bench.run();
    CHECK(bench.launched.empty());
    CHECK(bench.trial("SCALE=1").outcome.status == TrialStatus::unlaunchable);
    CHECK(bench.trial("SCALE=1").outcome.detail == "64 threads are too many");
  }

  TEST_CASE("a probe is of the very binary: of one that is made for its size there is none at another size") {
    const auto probes = [](bool of_size) {
      Bench bench;
      bench.sizes = {1000};
      model::KernelSpec spec = scale_spec();
      if (of_size) {
        spec.derived.push_back({"N_IS", {"N", {}}});
        spec.macros.push_back({"N_IS", {}});
      }
      bench.adjust = [&](sweep::Request& request) { request.work[0].kernel = space::KernelSpace(spec); };
      const sweep::Request request = bench.request();
      const sweep::TrialMaker maker(request, request.work[0], request.work[0].problems[0]);
      const auto list = request.work[0].kernel.list(request.work[0].problems[0], request.device.limits);
      return maker.probes(maker.make(list[0])).size();
    };
    CHECK(probes(false) > 0);
    CHECK(probes(true) == 0);
  }

  TEST_CASE("probes that passed are not run again by the next sweep, nor is a binary that failed them") {
    Bench bench;
    int probed = 0;
    TrialStatus status = TrialStatus::ok;
    bench.behave = [&](int scale, const model::TrialJob& job) {
      model::TrialOutcome outcome = ok_in(1000.0 / scale);
      if (job.probes.empty()) return outcome;
      ++probed;
      if (status == TrialStatus::ok) {
        outcome.probes_passed = true;
        return outcome;
      }
      outcome = failed_in(status, "so it is", model::is_death(status));
      outcome.subject = model::Subject::binary;
      return outcome;
    };
    SUBCASE("they passed") {
      bench.run();
      CHECK(probed == 5);
      bench.sizes = {2048};
      bench.run();
      CHECK(probed == 5);
      CHECK(bench.launched.size() == 5);
    }
    SUBCASE("it was wrong") {
      status = TrialStatus::wrong_result;
      bench.run();
      CHECK(probed == 5);
      bench.sizes = {2048};
      bench.run();
      CHECK(probed == 5);
      CHECK(bench.launched.empty());
      CHECK(bench.trial("SCALE=1").outcome.detail == "so it is");
    }
    SUBCASE("it died: tried once more, and then no more") {
      status = TrialStatus::crashed;
      for (const std::int64_t size : {1024, 2048, 4096, 8192}) {
        bench.sizes = {size};
        bench.run();
      }
      CHECK(probed == 10);
      CHECK(bench.results.verdict(probe_key(bench))->deaths == 2);
      CHECK(bench.run().finished == 0);  // under quarantine
    }
  }

  TEST_CASE("a trial that died is tried again, what is no death where that is asked for") {
    Bench bench;
    bench.broken = {"2"};
    bench.behave = [](int scale, const model::TrialJob&) {
      if (scale == 4) return failed_in(TrialStatus::crashed, "signal 11", true);
      if (scale == 8) return failed_in(TrialStatus::wrong_result, "all are wrong");
      return ok_in(1000.0 / scale);
    };
    bench.run();
    bench.run();
    CHECK(bench.launched == std::vector<int>{4});
    bench.run();
    CHECK(bench.launched.empty());
    CHECK(bench.trial("SCALE=4").outcome.status == TrialStatus::quarantined);
    bench.adjust = [](sweep::Request& request) { request.retry_failed = true; };
    const sweep::Summary again = bench.run();
    CHECK(std::set<int>(bench.launched.begin(), bench.launched.end()) == std::set<int>{4, 8});
    CHECK(again.finished == 3);  // what does not compile is never launched
  }

  TEST_CASE("what a problem lacks is said once, and no configuration of it has failed") {
    Bench bench;
    bench.behave = [](int, const model::TrialJob&) {
      model::TrialOutcome outcome = failed_in(TrialStatus::crashed, "the reference divides by zero");
      outcome.subject = model::Subject::problem;
      return outcome;
    };
    const sweep::Summary summary = bench.run();
    CHECK(summary.unprepared == 5);
    CHECK(summary.failed == 0);
    CHECK(bench.launched.size() == 1);
    CHECK(bench.results.trials().empty());
    CHECK(bench.watcher.notices.size() == 1);
  }

  TEST_CASE("of a space that was searched whole nothing is expected, and a library is no part of it") {
    Ending bench;
    script.gain_after = {{0, 0.5}};
    bench.further = add_library;
    bench.run();
    REQUIRE(bench.watcher.searches.size() == 1);
    const model::SearchRecord& search = bench.watcher.searches[0];
    CHECK(search.ending == model::SearchEnding::exhausted);
    CHECK_FALSE(search.outlook);
    REQUIRE(search.parts.size() == 1);
    CHECK(search.parts[0].kernel == "scale");
    CHECK(search.tried == 5);
  }
}
