#include <numeric>

#include "tests/support/contains.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tests/sweep/scripted_strategy.hpp"
#include "tuner/sweep/trial_journey.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// 300 configurations; a strategy that thinks little of the rest from the first.
struct Doubtful : Bench {
  Doubtful() {
    script = {};
    script.gain_after = {{0, 0.0001}};
    strategies = {scripted_kind()};
    adjust = [](sweep::Request& request) {
      request.strategy = "scripted";
      request.until = 0.01;
      std::vector<std::int64_t> scales(300);
      std::iota(scales.begin(), scales.end(), 1);
      edit_values(request, scales);
    };
  }
};

model::TrialOutcome unprepared() {
  model::TrialOutcome outcome = failed_in(model::TrialStatus::timeout, "still preparing after 0.2 s");
  outcome.subject = model::Subject::problem;
  return outcome;
}

model::TrialOutcome refused_on_probe(int scale) {
  model::TrialOutcome outcome = failed_in(model::TrialStatus::launch_error,
                                          "on a probe: tensor map refused, box " + std::to_string(scale));
  outcome.subject = model::Subject::binary;
  return outcome;
}

int told(const Bench& bench, const std::string& text) {
  const auto& notices = bench.watcher.notices;
  return static_cast<int>(std::count_if(notices.begin(), notices.end(),
                                        [&](const std::string& notice) { return contains(notice, text); }));
}

}  // namespace

TEST_SUITE("tuner::sweep refusals") {
  TEST_CASE("a refused preparation is no end of a search: the next one searches") {
    Doubtful bench;
    bench.behave = [](int, const model::TrialJob&) { return unprepared(); };
    const sweep::Summary refused = bench.run();
    CHECK(refused.unprepared > 0);
    CHECK(refused.refused == 1);
    CHECK(refused.finished == 0);
    CHECK(bench.launched.size() == 1);
    REQUIRE(bench.watcher.searches.size() == 1);
    CHECK(bench.watcher.searches[0].ending == model::SearchEnding::refused);
    CHECK_FALSE(bench.watcher.searches[0].outlook);
    bench.behave = [](int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
    const sweep::Summary summary = bench.run();
    CHECK(summary.finished > 0);
    CHECK(bench.watcher.searches.back().ending == model::SearchEnding::until);
    SUBCASE("and where it was enough, the same again is enough at once") {
      CHECK(bench.run().finished == 0);
    }
  }

  TEST_CASE("a preparation that is refused for all alike is said once, and the rest is not asked") {
    Doubtful bench;
    bench.behave = [](int, const model::TrialJob&) { return unprepared(); };
    bench.run();
    CHECK(bench.watcher.left < 64);
    CHECK(told(bench, "still preparing") == 1);
  }

  TEST_CASE("of failures alone nothing is enough") {
    Doubtful bench;
    bench.behave = [](int scale, const model::TrialJob&) {
      return scale < 200 ? failed_in(model::TrialStatus::wrong_result, "wrong") : ok_in(1000.0 / scale);
    };
    bench.run();
    CHECK(bench.results.trials().size() >= 200);
  }

  TEST_CASE("what is refused on a probe whatever its configuration is said once, and stops the problem") {
    Doubtful bench;
    bench.sizes = {1024, 2048};
    bench.behave = [](int scale, const model::TrialJob&) { return refused_on_probe(scale); };
    const sweep::Summary summary = bench.run();
    CHECK(summary.failed == 2 * sweep::Refusals::enough_on_probes);
    CHECK(summary.refused == 2);
    CHECK(told(bench, "tensor map refused") == 2);
    CHECK(told(bench, "a constraint that the probe's sizes do not meet") == 2);
    for (const model::SearchRecord& search : bench.watcher.searches)
      CHECK(search.ending == model::SearchEnding::refused);
  }

  TEST_CASE("one configuration that the driver takes is enough to go on with the rest") {
    Doubtful bench;
    bench.behave = [](int scale, const model::TrialJob&) {
      return scale == 50 || scale == 290 ? ok_in(1000.0 / scale) : refused_on_probe(scale);
    };
    script.gain_after = {};
    bench.run();
    CHECK(bench.results.trials().size() == 300);
  }
}
