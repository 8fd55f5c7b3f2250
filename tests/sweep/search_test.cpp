#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "db/best.hpp"
#include "tests/support/contains.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tests/sweep/scripted_strategy.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_maker.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// A bench whose sweeps follow `script`.
struct Scripted : Bench {
  Scripted() {
    script = {};
    strategies = {scripted_kind()};
    adjust = [this](sweep::Request& request) {
      request.strategy = "scripted";
      if (further) further(request);
    };
  }
  /// How far the first size has been searched.
  std::optional<model::Searched> searched() const {
    for (const auto& answer : db::best_of_each(results.store.connection(), {})) {
      if (answer.tuning_case.problem.sizes[0].value == sizes.front()) return answer.searched;
    }
    return std::nullopt;
  }
  std::function<void(sweep::Request&)> further;
};

}  // namespace

TEST_SUITE("tuner::sweep search") {
  TEST_CASE("every trial names its idea, and the final by which it wins keeps it") {
    Scripted bench;
    bench.run();
    CHECK_FALSE(bench.finals.empty());
    for (const auto& [key, record] : bench.results.trials())
      CHECK(record.origin == (record.is_default ? "default" : "scripted"));
    // Another order from now on: what is known keeps the idea it had.
    script.origin = "later";
    bench.further = [](sweep::Request& request) { edit_values(request, {1, 2, 4, 8, 16, 32}); };
    bench.run();
    CHECK(bench.trial("SCALE=16").origin == "scripted");
    CHECK(bench.trial("SCALE=32").origin == "later");
  }

  TEST_CASE("a space that was tried whole is said to be, and a second run says it too") {
    Scripted bench;
    bench.broken = {"4"};
    bench.run();
    REQUIRE(bench.watcher.searches.size() == 1);
    const model::SearchRecord& search = bench.watcher.searches.front();
    CHECK(search.ending == model::SearchEnding::exhausted);
    CHECK(search.tried == 5);
    CHECK(search.failed == 1);
    CHECK(search.strategy == "scripted");
    CHECK(bench.searched() == model::Searched{5, 5, std::nullopt, 0});
    bench.run();
    CHECK(bench.searched()->whole());
  }

  TEST_CASE("a search ends when little is expected of the rest, and its best has its final all the same") {
    Scripted bench;
    script.gain_after = {{0, 0.5}, {2, 0.009}, {3, 0.004}};  // the interval ends at twice that
    bench.further = [](sweep::Request& request) { request.until = 0.01; };
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::done);
    CHECK(summary.finished == 3);
    CHECK(summary.finals == 1);
    const model::SearchRecord& search = bench.watcher.searches.at(0);
    CHECK(search.ending == model::SearchEnding::until);
    CHECK(search.outlook == model::Outlook{0.004, 0, 0.008, "script"});
    const auto searched = bench.searched();
    CHECK(searched == model::Searched{5, 3, model::Outlook{0.004, 0, 0.008, "script"}, 3});

    SUBCASE("the same again tries nothing more") {
      script.gain_after = {{0, 0.5}};
      CHECK(bench.run().finished == 0);
      CHECK(bench.finals.empty());
      CHECK(bench.searched() == searched);
    }
    SUBCASE("who wants less to be left goes on from there") {
      script.gain_after = {};
      bench.further = [](sweep::Request& request) { request.until = 0.001; };
      bench.run();
      CHECK(script.seen.back().reported.size() == 2);
      CHECK(bench.searched()->whole());
    }
    SUBCASE("so does who has a larger space") {
      script.gain_after = {};
      bench.further = [](sweep::Request& request) {
        request.until = 0.01;
        edit_values(request, {1, 2, 4, 8, 16, 32});
      };
      CHECK(bench.run().finished == 3);
    }
  }

  TEST_CASE("a search that has tried enough waits for what is still being compiled, and goes on from there") {
    Scripted bench;
    script.lookahead = 4;
    script.gain_after = {{0, 0.5}, {10, 0.001}};
    script.surprise = 4;
    std::vector<std::int64_t> scales(40);
    std::iota(scales.begin(), scales.end(), 1);
    bench.further = [&](sweep::Request& request) {
      request.until = 0.01;
      edit_values(request, scales);
    };
    std::atomic<int> finished{0};
    bench.watcher.on_finished = [&](const model::TrialRecord&) { ++finished; };
    bench.on_compile = [&](int scale) {  // one takes until all others that were proposed have ended
      if (scale != 5) return;
      for (int seen = -1; finished < 10 || finished != seen;) {
        seen = finished;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
      CHECK(finished < 39);
    };
    bench.run();
    CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::exhausted);
    CHECK(bench.results.trials().size() == 40);
  }

  TEST_CASE("a strategy that cannot say goes on to the end, and so does one that is not sure") {
    Scripted bench;
    bench.further = [](sweep::Request& request) { request.until = 0.01; };
    SUBCASE("it cannot say") {}
    SUBCASE("it expects less, but more is not unlikely") {
      script.gain_after = {{0, 0.001}};
      script.high = 0.5;
    }
    bench.run();
    CHECK(bench.results.trials().size() == 5);
  }

  TEST_CASE("a budget and an interruption leave their searches on record as they are") {
    Scripted bench;
    script.gain_after = {{0, 0.3}};
    SUBCASE("a number of trials") {
      bench.further = [](sweep::Request& request) { request.budget.trials = 2; };
      bench.run();
      CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::budget);
    }
    SUBCASE("time on the device") {
      // A launch takes a millisecond of the bench's clock, or a few.
      bench.further = [](sweep::Request& request) { request.budget.device_seconds = 0.0015; };
      CHECK(bench.run().ending == sweep::Ending::budget_spent);
      CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::budget);
    }
    SUBCASE("a signal") {
      bench.watcher.on_finished = [&](const model::TrialRecord&) { bench.stop = bench.watcher.ended == 2; };
      CHECK(bench.run().ending == sweep::Ending::interrupted);
      CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::interrupted);
    }
    const auto tried = bench.watcher.searches.at(0).tried;
    CHECK(tried == static_cast<std::int64_t>(bench.results.trials().size()));
    CHECK(bench.searched()->tried == tried);
    CHECK(bench.searched()->outlook->gain == 0.3);
    CHECK_FALSE(bench.searched()->whole());
  }

  TEST_CASE("the budget that is spent by the last trial has left nothing to search") {
    Scripted bench;
    bench.further = [](sweep::Request& request) { request.budget.trials = 5; };
    bench.run();
    CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::exhausted);
  }

  TEST_CASE("what was said of a space is not said of another") {
    Scripted bench;
    bench.run();
    REQUIRE(bench.searched()->whole());
    // An edit adds values; the sweep that would look at them is stopped at once.
    bench.further = [](sweep::Request& request) {
      edit_values(request, {1, 2, 4, 8, 16, 32, 64});
      request.budget.trials = 1;
    };
    bench.sizes = {2048};
    bench.run();
    bench.sizes = {1024};
    CHECK_FALSE(bench.searched().has_value());
    bench.run();
    CHECK(bench.searched() == model::Searched{7, 6, std::nullopt, 0});
    // And back: the old statement holds again, for as many as there were then.
    bench.further = [](sweep::Request& request) { request.budget.trials = 1; };
    bench.sizes = {2048};
    bench.run();
    bench.sizes = {1024};
    CHECK(bench.searched() == model::Searched{5, 5, std::nullopt, 0});
  }

  TEST_CASE("the strategy hears what a candidate compiled to; one that it turns down is not run") {
    Scripted bench;
    script.lookahead = 5;
    script.vetoed = {1, 3};
    bench.further = [](sweep::Request& request) { request.until = 0.01; };
    bench.broken = {"8"};  // candidate 3: that it does not compile is a result, whatever the strategy thinks
    const sweep::Summary summary = bench.run();
    CHECK(summary.skipped_by_strategy == 1);
    CHECK(summary.finished == 4);
    CHECK(bench.watcher.left == 1);
    CHECK(bench.results.trials().size() == 4);
    const StrategyScript::Seen& seen = script.seen.at(0);
    CHECK(seen.compiled.size() == 5);
    CHECK(seen.facts.at(0).registers == 32);
    CHECK(seen.facts.at(0).threads == 32);
    CHECK(seen.facts.at(0).compile_ms == 1.5);
    CHECK(seen.facts.at(0).blocks == 32);
    CHECK(seen.facts.at(3).status == model::TrialStatus::compile_error);
    CHECK(seen.reported.at(1).status == model::TrialStatus::skipped);
    CHECK(seen.reported.at(3).status == model::TrialStatus::compile_error);
    CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::gave_up);
    CHECK(bench.searched()->tried == 4);
  }

  TEST_CASE("who asks for the whole space gets it, whatever the strategy thinks of a part") {
    Scripted bench;
    script.lookahead = 5;
    script.vetoed = {1, 3};
    bench.further = [](sweep::Request& request) { request.until = 0; };
    const sweep::Summary summary = bench.run();
    CHECK(summary.skipped_by_strategy == 0);
    CHECK(summary.finished == 5);
    CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::exhausted);
    CHECK(bench.searched()->whole());
  }

  TEST_CASE("the strategy hears the occupancy of a candidate, and in how many waves its blocks run") {
    Scripted bench;
    bench.oracle.occupancy = [](const model::KernelResources&, const model::Step&) {
      return std::optional(model::Occupancy{2, 8, 0.25, {"registers"}});
    };
    bench.further = [](sweep::Request& request) { request.device.limits.multiprocessors = 4; };
    bench.run();
    const search::BinaryFacts& facts = script.seen.at(0).facts.at(0);
    CHECK(facts.occupancy == 0.25);
    CHECK(facts.waves == 4);  // 32 blocks, 8 at once
    CHECK(bench.trial("SCALE=1").occupancy->blocks_per_multiprocessor == 2);
  }

  TEST_CASE("what a candidate compiled to is told before an earlier one has been measured") {
    Scripted bench;
    script.lookahead = 5;
    std::size_t compiled_at_first_launch = 0;
    bench.behave = [&](int scale, const model::TrialJob&) {
      if (compiled_at_first_launch == 0) compiled_at_first_launch = script.seen.at(0).compiled.size();
      return ok_in(1000.0 / scale);
    };
    bench.sizes = {1024, 2048};
    bench.run();
    CHECK(script.seen.at(0).compiled.size() == 5);
    CHECK(compiled_at_first_launch >= 1);
  }

  TEST_CASE("what cannot be launched is no candidate, and is counted with the reason") {
    Scripted bench;
    bench.further = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.steps[0].block = {{"128 * SCALE", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
      request.device.limits.max_threads_per_block = 1024;
    };
    const sweep::TrialList list = sweep::list_trials(bench.request(), bench.results);
    CHECK(list.total() == 4);
    REQUIRE(list.unlaunchable.size() == 1);
    CHECK(list.unlaunchable[0].configurations == 1);
    CHECK(list.unlaunchable[0].of == 5);
    CHECK(contains(list.unlaunchable[0].example, "2048"));
    bench.run();
    CHECK(bench.searched()->whole());
    CHECK(bench.searched()->candidates == 4);

    SUBCASE("a kernel of which nothing is left is left out") {
      bench.further = [](sweep::Request& request) {
        model::KernelSpec spec = scale_spec();
        spec.steps[0].block = {{"4096", {}}};
        request.work[0].kernel = space::KernelSpace(spec);
        request.device.limits.max_threads_per_block = 1024;
      };
      const sweep::TrialList none = sweep::list_trials(bench.request(), bench.results);
      CHECK(none.groups.empty());
      CHECK(contains(none.excluded.at(0).reason, "none of its configurations can be launched"));
    }
  }

  TEST_CASE("a final after a spent budget may wait for its binaries while others are still compiled") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) { request.budget.trials = 2; };
    bench.behave = [](int, const model::TrialJob&) { return ok_in(1000); };
    bench.run();
    const std::vector<int> known = bench.launched;
    REQUIRE(known.size() == 2);
    bench.adjust = [](sweep::Request& request) { request.budget.device_seconds = 0.0005; };
    std::atomic<int> begun{0};
    bench.on_compile = [&](int scale) {
      const bool is_known = std::find(known.begin(), known.end(), scale) != known.end();
      const bool is_first = !is_known && begun++ == 0;
      // What is under way ends before what the final needs.
      if (!is_first) std::this_thread::sleep_for(std::chrono::milliseconds(is_known ? 300 : 100));
    };
    CHECK(bench.run().ending == sweep::Ending::budget_spent);
    CHECK(bench.launched.size() == 1);
    REQUIRE(bench.finals.size() == 1);
    CHECK(bench.finals.front().size() == 3);
  }

  TEST_CASE("an unknown strategy is refused before the run is on record") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) { request.strategy = "hill"; };
    CHECK_THROWS_AS(bench.run(), model::UsageError);
    CHECK(bench.results.calls.empty());
  }

  TEST_CASE("auto tries all of a small space and learns in a large one, and says so") {
    const std::vector<search::StrategyKind> own = {scripted_kind("learn")};
    const sweep::StrategyChoice choice("auto", own);
    CHECK(choice.text(400) == "random");
    CHECK(choice.text(401) == "learn");
    CHECK(choice.sentence(44, 44) ==
          "strategy random: every configuration, in an order drawn from the seed; 44 configurations a size "
          "(auto: random up to 400 configurations a size, learn above, until its last trials "
          "gained less than 1 %)");
    CHECK(contains(choice.sentence(44, 205216), "random or learn, by size; 44 to 205216 configurations"));
    CHECK(contains(sweep::StrategyChoice("exhaustive", own).sentence(9, 9), "strategy exhaustive: "));
    CHECK(sweep::StrategyChoice("auto").learns(100'000));
    CHECK_FALSE(sweep::StrategyChoice("auto").learns(400));
  }
}
