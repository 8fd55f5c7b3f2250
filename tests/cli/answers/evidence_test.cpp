#include "tuner/cli/answers/evidence.hpp"

#include <doctest/doctest.h>

#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/answers/ranking.hpp"
#include "tuner/model/error.hpp"

namespace answers = tuner::cli::answers;
namespace model = tuner::model;

TEST_SUITE("cli") {
  namespace {

  /// A trial with two numbers and a word, at a median.
  model::TrialRecord trial(std::int64_t tile, std::int64_t stages, const std::string& order, double median_ns,
                           model::TrialStatus status = model::TrialStatus::ok) {
    model::TrialRecord record =
        db_test::timed_trial(std::to_string(tile) + "-" + std::to_string(stages) + order, 512, median_ns);
    record.configuration = model::Configuration(
        {{"TILE", model::Value(tile)}, {"STAGES", model::Value(stages)}, {"ORDER", model::Value(order)}});
    record.outcome.status = status;
    if (status == model::TrialStatus::unlaunchable) {
      record.outcome.measurement.reset();
      record.outcome.detail = "needs 300000 bytes of shared memory";
    }
    return record;
  }

  db::BestAnswer answer_with(const model::TrialRecord& winner) {
    db::BestAnswer answer;
    answer.winner = winner;
    answer.tuning_case.problem = winner.problem;
    answer.tuning_case.environment = winner.environment;
    return answer;
  }

  std::string told(const db::BestAnswer& answer, const std::vector<model::TrialRecord>& trials) {
    const answers::Style style{[](const model::Digest& key) { return key.hex().substr(0, 7); }, 80};
    std::string text;
    for (const std::string& line : evidence_lines(answers::evidence(answer, trials), style))
      text += line + '\n';
    return text;
  }

  }  // namespace

  TEST_CASE("what one change of the winner costs is told, at the parameter's best other value") {
    const auto winner = trial(32, 2, "row", 1000);
    const std::vector<model::TrialRecord> trials = {
        winner, trial(16, 2, "row", 1200), trial(64, 2, "row", 1070),
        trial(32, 3, "row", 1004, model::TrialStatus::dropped),
        trial(16, 3, "row", 900)};  // two changes: says nothing of either
    const std::string text = told(answer_with(winner), trials);
    CHECK(contains(text, "TILE 32 → 64: ~7.0 % slower ("));
    CHECK_FALSE(contains(text, "TILE 32 → 16"));
    CHECK(contains(text, "STAGES 2 → 3: ~0.4 % slower, dropped early ("));
    CHECK(text.find("TILE 32") < text.find("STAGES 2"));  // the costliest first
    CHECK_FALSE(contains(text, "ORDER"));                 // nobody tried another
  }

  TEST_CASE("a change that was sampled in turn with the winner is told by the final's ratio") {
    const auto winner = trial(32, 2, "row", 1000);
    const auto rival = trial(64, 2, "row", 1500);
    db::BestAnswer answer = answer_with(winner);
    answer.final = model::FinalRecord();
    answer.final->entries = {{winner.key, 1, 1, 1, true}, {rival.key, 1.02, 1.01, 1.03, false}};
    CHECK(contains(told(answer, {winner, rival}), "TILE 32 → 64: 2.0 % slower ("));
  }

  TEST_CASE("a neighbour that cannot run is told with its reason") {
    const auto winner = trial(64, 2, "row", 1000);
    CHECK(contains(
        told(answer_with(winner), {winner, trial(64, 3, "row", 1, model::TrialStatus::unlaunchable)}),
        "STAGES 2 → 3: unlaunchable, needs 300000 bytes"));
  }

  TEST_CASE("where nothing is known around the winner nothing is said") {
    const auto winner = trial(64, 2, "row", 1000);
    CHECK(told(answer_with(winner), {winner}).empty());
  }

  /// The trials that a condition keeps.
  db::Ranking kept_by(const answers::TrialCondition& condition,
                      const std::vector<model::TrialRecord>& trials) {
    db::Ranking ranking;
    for (const model::TrialRecord& one : trials) ranking.push_back({one});
    condition.keep(ranking);
    return ranking;
  }

  TEST_CASE("a condition on trials sees parameters and what the compiler said") {
    std::vector<model::TrialRecord> trials = {trial(16, 2, "row", 1000), trial(32, 3, "column", 2000)};
    trials[0].resources->registers = 40;
    trials[1].resources->registers = 80;
    const auto kept = [&](const std::string& text) {
      std::string out;
      for (const db::Ranked& one : kept_by(answers::TrialCondition(text), trials))
        out += one.trial.configuration.find("TILE")->text() + ' ';
      return out;
    };
    CHECK(kept("registers <= 64") == "16 ");
    CHECK(kept("TILE >= 16 && ORDER == 'column'") == "32 ");
    CHECK(kept("time_us < 2") == "16 ");
    CHECK(kept("") == "16 32 ");
    CHECK(kept("TILE > 99").empty());
    CHECK_THROWS_AS(kept("WIDTH > 1"), model::UsageError);
  }

  TEST_CASE("a condition on trials sees what was counted, rounded down, by its name without dots") {
    std::vector<model::TrialRecord> trials = {trial(16, 2, "row", 1000), trial(32, 3, "column", 2000)};
    trials[0].key = model::DigestBuilder().add("counted").finish();
    const model::Counter counter{"lts__t_sector_hit_rate.pct", 87.9, "percent"};
    const auto kept = [&](const std::string& text) {
      return kept_by(answers::TrialCondition(text, {{trials[0].key, counter, 1, ""}}), trials).size();
    };
    CHECK(kept("lts__t_sector_hit_rate_pct == 87") == 1);
    CHECK(kept("lts__t_sector_hit_rate_pct > 87") == 0);
    CHECK_THROWS_AS(kept("lts__t_sector_hit_rate_pct > 87 && dram__bytes_read_sum > 0"), model::UsageError);
  }

  TEST_CASE("a trial that has no value for a name is left out, and one that has decides what is a mistake") {
    std::vector<model::TrialRecord> trials = {trial(16, 2, "row", 1000), trial(32, 2, "row", 1000)};
    trials[0].resources.reset();
    trials[1].kernel = "other";
    trials[1].configuration = model::Configuration({{"WIDTH", model::Value(4)}});
    const auto kept = [&](const std::string& text) {
      return kept_by(answers::TrialCondition(text), trials).size();
    };
    CHECK(kept("WIDTH == 4") == 1);
    CHECK(kept("registers >= 0") == 1);
    CHECK(kept("TILE == 16") == 1);
    CHECK(kept("TILE == 16 && WIDTH == 4") == 0);
    CHECK(kept("TILE == 16 || WIDTH == 4") == 2);
    CHECK(kept("TILE == 99 || WIDTH == 4") == 1);
    CHECK(kept("TILE != 99") == 1);
    CHECK(kept("registers < 0 || TILE == 16") == 1);
    CHECK_THROWS_AS(kept("WIDTH == 4 || DEPTH == 4"), model::UsageError);
    CHECK_THROWS_AS(kept("ORDER == 'rwo'"), model::UsageError);  // a mistake, though the other has no ORDER
  }

  TEST_CASE("a word is known that a trial of any kernel has") {
    std::vector<model::TrialRecord> trials = {trial(16, 2, "row", 1000), trial(32, 2, "column", 1000)};
    trials[1].kernel = "other";
    CHECK(kept_by(answers::TrialCondition("ORDER == 'row' || ORDER == 'column'"), trials).size() == 2);
  }

  TEST_CASE("a value of a parameter costs what the least time with it does, dropped early or not") {
    const auto winner = trial(8, 2, "row", 1000);
    const db::BestAnswer answer = answer_with(winner);
    const auto effect = [&](const db::Ranking& ranking) {
      return answers::parameter_effect("TILE", {&answer}, {ranking});
    };
    const auto dropped = [](std::int64_t tile, std::int64_t stages) {
      return trial(tile, stages, "row", 1000, model::TrialStatus::dropped);
    };
    const db::Ranking ranking = {
        {winner, 1}, {trial(4, 2, "row", 1367), 1.367}, {dropped(4, 3), 1.04}, {dropped(8, 3), 0.9}};
    const auto found = effect(ranking);
    REQUIRE(found.sizes.size() == 1);
    const auto& least = found.sizes[0].least;  // of 4, of 8
    REQUIRE(least.size() == 2);
    CHECK(least[0]->loss == doctest::Approx(0.04));
    CHECK(least[0]->is_approximate);
    CHECK(least[0]->trials == 2);
    CHECK(least[1]->trial.key == winner.key);  // which is measured
    CHECK(least[1]->loss == 0);
    const std::string text =
        effect_text(found, {[](const model::Digest& key) { return key.hex().substr(0, 7); }, 80});
    CHECK(contains(text, "~4"));
    CHECK(contains(text, "~: the fastest with this value was dropped early"));
  }
}
