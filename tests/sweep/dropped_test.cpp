// A trial is dropped early for the best of its day. What becomes of it when that one is out of the race.
#include <fstream>
#include <map>
#include <set>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tests/sweep/scripted_strategy.hpp"

using namespace tuner;
using model::TrialStatus;

namespace {

/// Two kernels of a family: `fast`, whose SCALE is 1 or 2, and `slow`, of 4, 8 and 16.
struct DroppingBench : test::Bench {
  DroppingBench() {
    adjust = [this](sweep::Request& request) {
      const std::vector<model::Problem> problems = request.work.front().problems;
      request.work.clear();
      for (const std::string& name : tuned) request.work.push_back({kernel(name), problems});
      for (const std::string& name : rivals) request.rivals.push_back({kernel(name), {}});
      if (with_library) request.work.push_back({space::KernelSpace(test::library_spec()), problems});
      request.shard = shard;
      request.budget.trials = trials;
      if (!strategies.empty()) {
        request.strategy = strategies.front().name;
        request.until = 0.01;
      }
      request.run.device = request.device;  // by which an edited spec's past trials are judged
    };
    // As a device does by the standard policy.
    behave = [this](int scale, const model::TrialJob& job) {
      model::TrialOutcome outcome = test::ok_in(times_ns.at(scale));
      if (failing.contains(scale)) {
        outcome.status = TrialStatus::wrong_result;
        outcome.measurement.reset();
        return outcome;
      }
      if (job.best_ns > 0 && times_ns.at(scale) > 1.15 * job.best_ns) outcome.status = TrialStatus::dropped;
      return outcome;
    };
  }

  space::KernelSpace kernel(const std::string& name) const {
    model::KernelSpec spec = test::scale_spec();
    spec.name = name;
    spec.parameters[0].values.clear();
    for (const std::int64_t value : values.at(name)) spec.parameters[0].values.emplace_back(value);
    if (name == edited) spec.source[0].text += "// edited";
    return space::KernelSpace(spec);
  }

  /// Tunes these, in this order; returns what was launched, in the order of SCALE.
  std::vector<int> run(std::vector<std::string> kernels, std::vector<std::string> others = {}) {
    tuned = std::move(kernels);
    rivals = std::move(others);
    Bench::run();
    std::sort(launched.begin(), launched.end());
    return launched;
  }
  /// How many a sweep of these would measure again.
  std::int64_t reopened(std::vector<std::string> kernels, std::vector<std::string> others = {}) {
    tuned = std::move(kernels);
    rivals = std::move(others);
    return sweep::list_trials(request(), results).reopened();
  }
  std::string best() const {
    const auto answers = db::best(results.store.connection(), {});
    return answers.empty() ? "nothing" : answers.at(0).winner.configuration.text();
  }
  void forget(const model::Digest& trial) {
    db::ForgetQuery query;
    query.trial = trial;
    db::forget(results.store.connection(), query, false);
  }

  /// Has probes find the binary of this SCALE wrong.
  void condemn(const std::string& value) {
    const model::TrialRecord wrong = trial("SCALE=" + value);
    results.store.record_verdict(
        {wrong.probe_key, TrialStatus::wrong_result, "at 31", 0, wrong.key, wrong.run, ""});
  }

  std::map<int, double> times_ns = {{1, 100}, {2, 106},  {4, 150},
                                    {8, 160}, {16, 400}, {test::library_scale, 1}};
  std::map<std::string, std::vector<std::int64_t>> values = {{"fast", {1, 2}}, {"slow", {4, 8, 16}}};
  std::vector<std::string> tuned, rivals;
  std::string edited;
  std::optional<sweep::Shard> shard;
  std::optional<std::int64_t> trials;  ///< at most
  bool with_library = false;
  std::set<int> failing;  ///< by SCALE
};

/// Both kernels were tuned, and all of `slow` was dropped for `fast`.
struct Dropped : DroppingBench {
  Dropped() {
    run({"fast"});
    REQUIRE(run({"slow"}, {"fast"}) == std::vector<int>{4, 8, 16});
    for (const char* value : {"4", "8", "16"})
      REQUIRE(trial("SCALE=" + std::string(value)).outcome.status == TrialStatus::dropped);
  }
};

}  // namespace

TEST_SUITE("tuner::sweep, dropped trials") {
  TEST_CASE("what was dropped for a rival stays known, whether that rival is tuned, at hand or gone") {
    Dropped bench;
    CHECK(bench.run({"slow"}, {"fast"}).empty());
    CHECK(bench.run({"slow"}).empty());
    CHECK(bench.run({"slow", "fast"}).empty());
    CHECK(bench.best() == "SCALE=1");
  }

  TEST_CASE("a strategy is told the times of what was dropped for a rival outside of its search") {
    DroppingBench bench;
    bench.run({"fast"});
    test::script = {};
    bench.strategies = {test::scripted_kind()};
    bench.trials = 2;
    const auto is_a_time = [](const auto& told) {
      return told.second.status == TrialStatus::ok && told.second.time_ns;
    };
    for (const std::size_t reported : {2U, 1U}) {
      bench.run({"slow"}, {"fast"});
      const auto& seen = test::script.seen.back();
      CHECK(seen.reported.size() == reported);
      CHECK(std::ranges::all_of(seen.reported, is_a_time));
      CHECK(std::ranges::all_of(seen.known, is_a_time));
    }
    CHECK(test::script.seen.back().known.size() == 2);
    CHECK(bench.trial("SCALE=4").outcome.status == TrialStatus::dropped);
    SUBCASE("beside the rival it is told that they are bounds") {
      bench.values["slow"].push_back(1);
      bench.run({"slow", "fast"});
      CHECK(std::ranges::count_if(test::script.seen.back().known, is_a_time) == 2);
    }
  }

  TEST_CASE("what was dropped for a rival is measured again when that rival is edited") {
    Dropped bench;
    bench.edited = "fast";
    SUBCASE("alone") {
      CHECK(bench.reopened({"slow"}, {"fast"}) == 3);
      CHECK(bench.run({"slow"}, {"fast"}) == std::vector<int>{4, 8, 16});
      CHECK(bench.run({"slow"}, {"fast"}).empty());
    }
    SUBCASE("beside the rival, which is slow now") {
      bench.times_ns[1] = bench.times_ns[2] = 300;
      CHECK(bench.run({"fast", "slow"}) == std::vector<int>{1, 2, 4, 8, 16});
      CHECK(bench.run({"fast", "slow"}).empty());
    }
    CHECK(bench.best() == "SCALE=4");
  }

  TEST_CASE(
      "what was dropped for a kernel that is edited to be slower is measured again, though it is run alone") {
    Dropped bench;
    bench.edited = "fast";
    bench.times_ns[1] = bench.times_ns[2] = 300;
    // 150 and 160 are near the best of today; 400 is not.
    CHECK(bench.run({"fast"}, {"slow"}) == std::vector<int>{1, 2, 4, 8});
    CHECK(bench.best() == "SCALE=4");
    CHECK(bench.trial("SCALE=4").outcome.status == TrialStatus::ok);
    CHECK(bench.trial("SCALE=16").outcome.status == TrialStatus::dropped);
    CHECK(bench.run({"fast"}, {"slow"}).empty());
    CHECK(bench.run({"fast", "slow"}).empty());
  }

  TEST_CASE("where the edit is as fast as before nothing of its rivals is measured again") {
    Dropped bench;
    bench.edited = "fast";
    CHECK(bench.run({"fast"}, {"slow"}) == std::vector<int>{1, 2});
    CHECK(bench.best() == "SCALE=1");
  }

  TEST_CASE("a rival that was dropped for the best of its day is the best known until it is measured again") {
    Dropped bench;
    bench.edited = "fast";
    bench.times_ns[1] = bench.times_ns[2] = 300;
    const auto answer = [&] { return db::best(bench.results.store.connection(), {}).at(0); };
    SUBCASE("the rival's spec is not at hand") {
      CHECK(bench.run({"fast"}) == std::vector<int>{1, 2});
      REQUIRE(bench.watcher.notices.size() == 1);
      CHECK(contains(bench.watcher.notices[0], "2 trials of slow were dropped early"));
    }
    SUBCASE("there was no budget for it") {
      bench.trials = 2;
      CHECK(bench.run({"fast"}, {"slow"}) == std::vector<int>{1, 2});
    }
    SUBCASE("the sweep was a shard's") {
      bench.shard = sweep::Shard{1, 2};
      bench.run({"fast"}, {"slow"});
      bench.shard = sweep::Shard{2, 2};
      bench.run({"fast"}, {"slow"});
    }
    CHECK(bench.best() == "SCALE=4");
    CHECK(answer().is_approximate());
    CHECK(answer().winner.outcome.measurement->median_ns == 150);
    bench.trials.reset();
    bench.shard.reset();
    CHECK(bench.run({"fast"}, {"slow"}) == std::vector<int>{4, 8});
    CHECK_FALSE(answer().is_approximate());
  }

  TEST_CASE("what was dropped and fails when it is measured again gives way to the next") {
    Dropped bench;
    bench.edited = "fast";
    bench.times_ns[1] = bench.times_ns[2] = 800;
    bench.failing = {4, 8};
    CHECK(bench.run({"fast"}, {"slow"}) == std::vector<int>{1, 2, 4, 8, 16});
    CHECK(bench.best() == "SCALE=16");
    CHECK(bench.run({"fast"}, {"slow"}).empty());
  }

  TEST_CASE("a space is not searched whole while what it dropped is open again") {
    Dropped bench;
    const auto searched = [&] {
      return db::best(bench.results.store.connection(), {}).at(0).searched.value();
    };
    bench.run({"slow", "fast"});
    CHECK(searched().whole());
    CHECK(searched().candidates == 5);
    for (const char* value : {"1", "2"}) bench.condemn(value);
    CHECK(searched().reopened == 3);
    CHECK(searched().tried == 2);
    CHECK_FALSE(searched().whole());
    bench.run({"slow", "fast"});
    CHECK(searched().whole());
  }

  TEST_CASE("once the edit is undone, what was measured meanwhile stays known and does not win") {
    Dropped bench;
    bench.edited = "fast";
    bench.run({"slow"}, {"fast"});
    bench.edited = "";
    CHECK(bench.run({"slow", "fast"}).empty());
    CHECK(bench.best() == "SCALE=1");
  }

  TEST_CASE("what was dropped is measured again when the best has left the space") {
    Dropped bench;
    bench.values["fast"] = {2};
    bench.times_ns[2] = 106;
    CHECK(bench.reopened({"slow"}, {"fast"}) == 0);  // 150 and more are far from 106
    bench.values["fast"] = {3};
    bench.times_ns[3] = 500;
    CHECK(bench.run({"slow", "fast"}) == std::vector<int>{3, 4, 8, 16});
    CHECK(bench.best() == "SCALE=4");
  }

  TEST_CASE("what was dropped is measured again when the best was forgotten, as far as it is in reach now") {
    Dropped bench;
    for (const char* value : {"1", "2"}) bench.forget(bench.trial("SCALE=" + std::string(value)).key);
    bench.times_ns[2] = 142;
    bench.values["fast"] = {2};
    bench.run({"fast"});
    // Within a tenth of 142, as the finalists of a final are; 160 and 400 are not.
    CHECK(bench.reopened({"slow"}, {"fast"}) == 1);
    CHECK(bench.reopened({"slow"}) == 1);
    CHECK(bench.run({"slow", "fast"}) == std::vector<int>{4});
    CHECK(bench.trial("SCALE=4").outcome.status == TrialStatus::ok);
    CHECK(bench.trial("SCALE=8").outcome.status == TrialStatus::dropped);
  }

  TEST_CASE("what was dropped is measured again when the best was found wrong by its probes") {
    Dropped bench;
    for (const char* value : {"1", "2"}) bench.condemn(value);
    CHECK(bench.run({"slow"}, {"fast"}) == std::vector<int>{4, 8, 16});
    CHECK(bench.best() == "SCALE=4");
  }

  TEST_CASE("a best that is found slower later keeps dropped what was dropped for it") {
    DroppingBench bench;
    bench.times_ns[4] = 116;
    bench.run({"fast"});
    REQUIRE(bench.run({"slow"}, {"fast"}) == std::vector<int>{4, 8, 16});
    REQUIRE(bench.trial("SCALE=4").outcome.status == TrialStatus::dropped);
    for (const double now_ns : {108.0, 117.0, 500.0, 99.0}) {
      CAPTURE(now_ns);
      for (const char* value : {"1", "2"}) {
        model::TrialRecord best = bench.trial("SCALE=" + std::string(value));
        best.outcome = test::ok_in(now_ns);
        bench.results.store.record(best);
      }
      CHECK(bench.reopened({"slow"}, {"fast"}) == 0);
      CHECK(bench.reopened({"slow", "fast"}) == 0);
      CHECK(bench.reopened({"slow"}) == 0);
    }
  }

  TEST_CASE("a library keeps nothing dropped") {
    Dropped bench;
    bench.with_library = true;
    bench.run({"slow"}, {"fast"});
    for (const char* value : {"1", "2"}) bench.forget(bench.trial("SCALE=" + std::string(value)).key);
    CHECK(bench.run({"slow"}) == std::vector<int>{4, 8, 16});
  }

  TEST_CASE("what the best of one shard has dropped stays known to each of them") {
    Dropped bench;
    for (const int number : {1, 2, 3}) {
      bench.shard = sweep::Shard{number, 3};
      CHECK(bench.reopened({"slow", "fast"}) == 0);
    }
  }

  TEST_CASE("what one database dropped and another measured is answered alike, merged in any order") {
    Dropped dropped;
    DroppingBench whole;
    REQUIRE(whole.run({"slow"}) == std::vector<int>{4, 8, 16});
    const test::TemporaryFolder folder;
    const auto save = [&](const DroppingBench& bench, const std::string& name) {
      std::ofstream out(folder / (name + ".jsonl"));
      db::export_database(bench.results.store.connection(), {}, out);
      out.close();
      db::import_file(db::open_database(folder / name), folder / (name + ".jsonl"));
    };
    save(dropped, "dropped.db");
    save(whole, "whole.db");
    db::merge_database(dropped.results.store.connection(), folder / "whole.db");
    db::merge_database(whole.results.store.connection(), folder / "dropped.db");
    for (DroppingBench* merged : {static_cast<DroppingBench*>(&dropped), &whole}) {
      CHECK(merged->run({"slow", "fast"}).empty());
      CHECK(merged->best() == "SCALE=1");
      for (const char* value : {"1", "2"}) merged->forget(merged->trial("SCALE=" + std::string(value)).key);
      merged->run({"slow"});
      CHECK(merged->best() == "SCALE=4");
    }
  }

  TEST_CASE("a budget of trials counts what is measured again like the rest") {
    Dropped bench;
    bench.edited = "fast";
    bench.trials = 1;
    CHECK(bench.run({"slow"}, {"fast"}) == std::vector<int>{4});
    CHECK(bench.run({"slow"}, {"fast"}) == std::vector<int>{8});  // 400 is in no final beside 150
    CHECK(bench.run({"slow"}, {"fast"}).empty());
  }

  TEST_CASE("a search that was over goes on where what it had dropped is open again") {
    test::script = {};
    test::script.gain_after = {{0, 0.5}, {2, 0.004}};
    DroppingBench bench;
    bench.strategies = {test::scripted_kind()};
    bench.run({"fast"});
    bench.run({"slow", "fast"});
    REQUIRE(bench.watcher.searches.back().ending == model::SearchEnding::until);
    CHECK(bench.run({"slow", "fast"}).empty());
    for (const char* value : {"1", "2"}) bench.condemn(value);
    test::script.gain_after = {};
    CHECK(bench.run({"slow", "fast"}) == std::vector<int>{4, 8, 16});
    CHECK(bench.best() == "SCALE=4");
  }

  TEST_CASE("of chosen trials what was dropped is open again where nothing is to be dropped") {
    Dropped bench;
    bench.tuned = {"fast", "slow"};
    sweep::Request request = bench.request();
    std::vector<sweep::Chosen> chosen;
    for (const std::int64_t scale : {1, 4, 8})
      chosen.push_back({scale == 1 ? "fast" : "slow", request.work[0].problems[0],
                        model::Configuration({{"SCALE", model::Value(scale)}})});
    CHECK(sweep::list_chosen(request, chosen, bench.results).known() == 3);
    request.policy.cuts.clear();
    const sweep::TrialList open = sweep::list_chosen(request, chosen, bench.results);
    REQUIRE(open.groups.size() == 1);
    CHECK(open.known() == 1);
    CHECK(open.groups[0].known[0]->status == TrialStatus::ok);
    request.recorded_device = "a recording, which has no more to say";
    CHECK(sweep::list_chosen(request, chosen, bench.results).known() == 3);
  }

  TEST_CASE("a trial that was dropped at another size says nothing") {
    Dropped bench;
    bench.edited = "fast";
    bench.sizes = {2048};
    CHECK(bench.reopened({"slow"}, {"fast"}) == 0);
    bench.sizes = {1024, 2048};
    CHECK(bench.reopened({"slow"}, {"fast"}) == 3);
  }
}
