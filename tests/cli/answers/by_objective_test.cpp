
#include <doctest/doctest.h>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/answers/best.hpp"

using db_test::key;
using tuner::model::Energy;
using tuner::model::Objective;
namespace answers = tuner::cli::answers;

TEST_SUITE("cli answers by energy") {
  namespace {

  db::Ranked ranked(const std::string& name, double ns, const std::optional<Energy>& energy) {
    db::Ranked one;
    one.trial = db_test::timed_trial(name, 512, ns);
    one.trial.outcome.energy = energy;
    one.in_final = energy && energy->runs > 1;
    one.trial.sequence = energy ? energy->sequence : 0;
    return one;
  }

  Energy of_final(double mean_j, double half_width_j = 0.001) {
    return {mean_j, mean_j - half_width_j, mean_j + half_width_j, 1e6, 80, 1500, 5, 1};
  }

  Energy of_race(double mean_j) {
    return {mean_j, 0, 0, 1e6, 80, 1500, 1, 1};
  }

  /// The fastest draws most; `race` was in no final, and of `old` nobody knows the energy.
  std::vector<db::Ranked> field() {
    return {ranked("fast", 100, of_final(0.5)), ranked("saving", 104, of_final(0.4)),
            ranked("like it", 105, of_final(0.4015, 0.003)), ranked("race", 150, of_race(0.3)),
            ranked("old", 101, std::nullopt)};
  }

  db::BestAnswer fastest() {
    db::BestAnswer answer;
    answer.tuning_case.problem = db_test::cube(512);
    answer.winner = field().front().trial;
    return answer;
  }

  const answers::Style style{[](const tuner::model::Digest& key) { return key.hex().substr(0, 7); }, 400};

  std::string id(const std::string& name) {
    return key(name).hex().substr(0, 7);
  }

  }  // namespace

  TEST_CASE("the least energy of a final answers, tied with those whose intervals overlap") {
    db::BestAnswer answer = fastest();
    auto trials = field();
    REQUIRE(answers::answer_by(Objective::energy, answer, trials));
    CHECK(answer.winner.key == key("saving"));
    CHECK(trials.size() == 3);
    CHECK(answer.tied_count == 1);
    CHECK(answer.tied.at(0).key == key("like it"));
    CHECK(answer.objective == Objective::energy);
  }

  TEST_CASE("by energy times time a faster one may win that takes more") {
    db::BestAnswer answer = fastest();
    std::vector<db::Ranked> trials = {ranked("slow", 200, of_final(0.3)), ranked("fast", 100, of_final(0.5))};
    REQUIRE(answers::answer_by(Objective::edp, answer, trials));
    CHECK(answer.winner.key == key("fast"));
  }

  TEST_CASE("a race answers where no final has an energy, and nothing does where nobody knows any") {
    db::BestAnswer answer = fastest();
    std::vector<db::Ranked> trials = {ranked("fast", 100, std::nullopt), ranked("race", 150, of_race(0.3))};
    REQUIRE(answers::answer_by(Objective::energy, answer, trials));
    CHECK(answer.winner.key == key("race"));
    CHECK(contains(answers::best_text({answer}, style), "~300.0 mJ"));
    CHECK(
        contains(answers::best_text({answer}, style), "in a long run  a launch takes 1.000 ms at 1500 MHz"));
    answer.winner.outcome.energy->mean_ns = 151;
    CHECK_FALSE(contains(answers::best_text({answer}, style), "in a long run"));
    trials = {ranked("fast", 100, std::nullopt)};
    CHECK_FALSE(answers::answer_by(Objective::energy, answer, trials));
  }

  TEST_CASE("energies of the last final are not compared with those of a final before") {
    db::BestAnswer answer = fastest();
    auto trials = field();
    trials[1].in_final = false;    // "saving": a final of another day
    trials[2].trial.sequence = 2;  // "like it": timed again without an energy, perhaps on another GPU
    REQUIRE(answers::answer_by(Objective::energy, answer, trials));
    CHECK(answer.winner.key == key("fast"));
    CHECK(answer.tied.empty());
    CHECK(answers::cheaper_text(fastest(), trials, style).empty());
    // Where the last final measured no energy at all, those before it are what is known.
    trials = field();
    for (db::Ranked& one : trials) one.trial.sequence = 2;
    REQUIRE(answers::answer_by(Objective::energy, answer, trials));
    CHECK(answer.winner.key == key("saving"));
  }

  TEST_CASE("by time nothing changes") {
    db::BestAnswer answer = fastest();
    auto trials = field();
    CHECK(answers::answer_by(Objective::time, answer, trials));
    CHECK(answer.winner.key == key("fast"));
    CHECK(trials.size() == field().size());
  }

  TEST_CASE("what saving costs has a row for each that surely takes less than the row before") {
    const std::string text = answers::energy_front_text(field(), style);
    CHECK(contains(text, id("fast")));
    CHECK(contains(text, id("saving")));
    CHECK(contains(text, "20"));
    CHECK_FALSE(contains(text, id("like it")));
    CHECK_FALSE(contains(text, id("race")));
    CHECK(contains(answers::energy_front_text({field().front()}, style), "no trial surely uses less"));
  }

  TEST_CASE("an answer by time says who uses less") {
    const std::string text = answers::cheaper_text(fastest(), field(), style);
    CHECK(contains(text, id("saving") + " uses 20.0 % less energy and takes 4.0 % longer"));
    CHECK(contains(text, "tuner best 512 --objective energy"));
    CHECK(answers::cheaper_text(fastest(), {field().front()}, style).empty());
  }

  TEST_CASE("what uses less and takes no longer than a tied answer is not said to cost time") {
    db::BestAnswer tied = fastest();
    tied.winner = ranked("chosen", 100.5, of_final(0.5)).trial;
    const std::vector<db::Ranked> field = {{tied.winner, 1.005, 1, 1.01, true},
                                           ranked("frugal", 100, of_final(0.25))};
    CHECK(answers::cheaper_text(tied, field, style) ==
          id("frugal") + " uses 50.0 % less energy and is no slower");
  }
}
