// Where evidence, or a condition on trials, that is nearly right differs from what is.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/cli/answers/ranking.hpp"
#include "tuner/cli/answers/refreshed.hpp"
#include "tuner/cli/answers/words.hpp"

namespace answers = tuner::cli::answers;
namespace model = tuner::model;

TEST_SUITE("cli answers") {
  namespace {

  /// Whether `--where text` keeps a trial of 8 x 4 x 2 threads, 8 + 12 bytes spilled and an occupancy of 37.5
  /// %.
  bool keeps(const std::string& text) {
    model::TrialRecord trial = db_test::full_trial();
    trial.block = {8, 4, 2};
    db::Ranking ranking;
    ranking.push_back({trial});
    answers::TrialCondition(text).keep(ranking);
    return !ranking.empty();
  }

  model::TrialRecord trial(std::int64_t tile, double median_ns, const std::string& kernel = "register_tile") {
    model::TrialRecord record = db_test::timed_trial(kernel + std::to_string(tile), 512, median_ns);
    record.kernel = kernel;
    record.configuration = model::Configuration({{"TILE", model::Value(tile)}, {"STAGES", model::Value(2)}});
    return record;
  }

  db::BestAnswer answer_with(const model::TrialRecord& winner) {
    db::BestAnswer answer;
    answer.winner = winner;
    answer.tuning_case.problem = winner.problem;
    return answer;
  }

  }  // namespace

  TEST_CASE(
      "figures that a condition asks for are whole: all sides of a block, both kinds of spills, per cent") {
    CHECK(keeps("block_threads == 64"));
    CHECK(keeps("spill_bytes == 20"));
    CHECK(keeps("occupancy == 37"));
    CHECK_FALSE(keeps("occupancy > 37"));
  }

  TEST_CASE("what costs one parameter changed is of the winner's kernel alone") {
    const model::TrialRecord winner = trial(32, 100);
    const auto found =
        answers::evidence(answer_with(winner), {winner, trial(64, 150), trial(16, 120, "naive")});
    REQUIRE(found.timed.size() == 1);
    CHECK(found.timed[0].to == model::Value(64));
  }

  TEST_CASE("of a final the cost of a change is held against the one to use, not against the fastest") {
    const model::TrialRecord winner = trial(32, 100);
    const model::TrialRecord other = trial(64, 150);
    db::BestAnswer answer = answer_with(winner);
    answer.final = db_test::sample_final();
    answer.final->entries = {{winner.key, 1.25, 1.25, 1.25, true}, {other.key, 1.5, 1.5, 1.5, false}};
    const auto found = answers::evidence(answer, {winner, other});
    REQUIRE(found.timed.size() == 1);
    CHECK(found.timed[0].in_turn);
    CHECK(found.timed[0].ratio == doctest::Approx(1.2));
  }

  TEST_CASE("the next one is held against the winner in what is known of both") {
    db::BestAnswer answer = answer_with(trial(32, 100));
    db::Ranked own{answer.winner, 1, 1, 1, true};
    db::Ranked next{trial(64, 150), 1.5, 1.5, 1.5, true};
    const auto why = [&] {
      return answers::why(answer, {"512", ""}, {own, next}, {},
                          {[](const model::Digest& key) { return key.hex(); }, 400});
    };
    next.trial.occupancy->fraction = 0.25;
    CHECK(contains(why(), "occupancy 25 % instead of 37.5 %"));
    next.trial.occupancy->fraction = answer.winner.occupancy->fraction;
    CHECK_FALSE(contains(why(), "occupancy"));
    next.trial.occupancy->fraction = 0.25;
    answer.winner.occupancy.reset();
    CHECK_FALSE(contains(why(), "occupancy"));
    answer.winner.resources.reset();
    next.trial.resources->registers += 16;
    CHECK_FALSE(contains(why(), "registers"));
  }

  TEST_CASE("where final and race contradict each other the answer says so") {
    db::BestAnswer answer = answer_with(trial(32, 100));
    answer.final = db_test::sample_final();
    answer.final->entries = {{answer.winner.key, 1, 1, 1, true}};
    const auto why = [&] {
      return answers::why(answer, {"512", ""}, {}, {},
                          {[](const model::Digest& key) { return key.hex(); }, 400});
    };
    CHECK_FALSE(contains(why(), "unsettled"));
    answer.check.final_ns = 1.798e6;
    answer.check.final_mhz = 1625;
    answer.check.in_turn_ns = 1.537e6;
    answer.check.rivals_mhz = 1909;
    CHECK(contains(why(),
                   "the fastest took 1.798 ms at 1625 MHz in the last rounds; in turn with its rivals it "
                   "took 1.537 ms at 1909 MHz"));
    answer.check = {};
    answer.check.final_ns = 1.15e6;
    answer.check.own_race_ns = 0.32e6;
    answer.check.faster_elsewhere = 1;
    answer.check.fastest_elsewhere = db_test::key("rival");
    answer.check.fastest_elsewhere_ns = 0.62e6;
    CHECK(contains(why(),
                   "unsettled: it took 320.0 µs in the race and 1.150 ms in the final, where it was alone"));
    CHECK(contains(why(), "`tuner compare " + answer.winner.key.hex() + " " + db_test::key("rival").hex() +
                              " --fresh`"));
  }

  TEST_CASE(
      "a difference is none where it would be shown as none, and has a digit where that says something") {
    CHECK(answers::difference_text(1.0004, true) == "the same time");
    CHECK(answers::difference_text(0.9996, false) == "about the same time");
    CHECK(answers::difference_text(1.0006, true) == "0.1 % slower");
    CHECK(answers::difference_text(0.998, false) == "~0.2 % faster");
    CHECK(answers::difference_text(1.5, true) == "50 % slower");
    CHECK(answers::difference_text(44606.2, false) == "~44606× slower");
  }

  TEST_CASE("a time of today that is many times as long is said as a factor") {
    const auto change_to = [](double today_ns) {
      answers::Refreshed one{answer_with(trial(32, 100)), answer_with(trial(32, today_ns)),
                             trial(32, today_ns)};
      return answers::refreshed_text({one}, {[](const model::Digest& key) { return key.hex(); }, 400});
    };
    CHECK(contains(change_to(150), "50.0 % slower"));
    const std::string text = change_to(4'460'620);
    CHECK(contains(text, "44606× slower ("));
    CHECK_FALSE(contains(text, "% slower"));
  }

  TEST_CASE("a change is told by what is different alone") {
    CHECK(answers::change_text(trial(32, 1).configuration, trial(64, 1).configuration) == "TILE 32 → 64");
  }
}
