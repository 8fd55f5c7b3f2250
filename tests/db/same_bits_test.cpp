#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::key;
using db_test::sample_final;
using db_test::TempFolder;

TEST_SUITE("db, same bits") {
  namespace {

  OutputBits bits(const std::string& outputs, const std::string& inputs = "seed 0") {
    return {key(inputs), key(outputs)};
  }

  TrialRecord trial_of(const std::string& name, std::int64_t size, double median_ns,
                       const std::optional<OutputBits>& bits) {
    TrialRecord trial = db_test::timed_trial(name, size, median_ns);
    trial.outcome.output_bits = bits;
    return trial;
  }

  TrialRecord default_of(std::int64_t size, double median_ns, const std::optional<OutputBits>& bits) {
    TrialRecord trial = trial_of("default " + std::to_string(size), size, median_ns, bits);
    trial.is_default = true;
    return trial;
  }

  std::string name_of(const TrialRecord& trial) {
    return trial.configuration.find("NAME")->text();
  }

  db::BestQuery query_of(db::SameBitsAs as, std::vector<std::int64_t> sizes = {512}) {
    db::BestQuery query;
    query.sizes = std::move(sizes);
    query.same_bits = std::move(as);
    return query;
  }

  /// What is best among the trials with those bits, by its NAME; why there is nothing.
  std::string best_of(const db::ResultStore& store, const db::BestQuery& query) {
    const auto answers = db::best(store.connection(), query);
    if (!answers.empty()) return name_of(answers.front().winner);
    const auto without = db::unanswered(store.connection(), query, answers);
    return without.empty() ? "nothing" : without.front().lacks_bits;
  }

  }  // namespace

  TEST_CASE("bits are the same, others, or unknown: of other inputs nobody can tell") {
    CHECK(compare_bits(bits("x"), bits("x")) == BitsRelation::same);
    CHECK(compare_bits(bits("x"), bits("y")) == BitsRelation::other);
    CHECK(compare_bits(bits("x"), bits("x", "seed 1")) == BitsRelation::unknown);
    CHECK(compare_bits(std::nullopt, bits("x")) == BitsRelation::unknown);
    CHECK(compare_bits(std::nullopt, std::nullopt) == BitsRelation::unknown);
  }

  TEST_CASE("the best of those that give the default's bits is another than the best of all") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    store.record(default_of(512, 200, bits("x")));
    store.record(trial_of("fast", 512, 50, bits("y")));
    store.record(trial_of("unknown", 512, 60, std::nullopt));
    store.record(trial_of("seed 1", 512, 70, bits("x", "seed 1")));
    store.record(trial_of("same", 512, 100, bits("x")));
    CHECK(best_of(store, query_of({})) == "same");
    const auto all = db::best(store.connection(), query_of({}));
    CHECK(name_of(*all.front().untuned) == "default 512");
    CHECK(db::ranking(store.connection(), all.front(), query_of({})).size() == 2);
    db::BestQuery any = query_of({});
    any.same_bits.reset();
    CHECK(best_of(store, any) == "fast");
    CHECK(best_of(store, query_of({*store.find(key("fast"))})) == "fast");
    SUBCASE("a dropped one that is faster than all of them is the best known") {
      TrialRecord dropped = trial_of("dropped", 512, 90, bits("x"));
      dropped.outcome.status = TrialStatus::dropped;
      store.record(dropped);
      CHECK(best_of(store, query_of({})) == "dropped");
    }
    SUBCASE("a dropped one is not faster than what raced as fast and had a slow final") {
      TrialRecord dropped = trial_of("dropped", 512, 110, bits("x"));
      dropped.outcome.status = TrialStatus::dropped;
      store.record(dropped);
      FinalRecord final = sample_final();
      final.entries = {{key("same"), 1, 1, 1, true}, {key("default 512"), 2, 2, 2, false}};
      final.chosen = key("same");
      final.coverage =
          store.possible_final(db_test::cube(512), db_test::sample_environment(), 4, 10).coverage;
      store.record_final(final, {trial_of("same", 512, 150, bits("x")), default_of(512, 300, bits("x"))});
      CHECK(best_of(store, query_of({})) == "same");
    }
    SUBCASE("where nobody knows the default's bits the answer says why") {
      store.record(default_of(512, 200, std::nullopt));
      CHECK(contains(best_of(store, query_of({})), "its bits are unknown"));
      store.record([] {
        TrialRecord failed = db_test::failed_trial("default 512", 512, TrialStatus::wrong_result);
        failed.is_default = true;
        return failed;
      }());
      CHECK(contains(best_of(store, query_of({})), "it has no result (wrong_result)"));
    }
  }

  TEST_CASE("at another size the trial's configuration is what others are held against") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    const auto same_at = [&](std::int64_t size, const std::string& key_name, double median_ns,
                             const char* outputs) {
      TrialRecord trial = trial_of(key_name, size, median_ns, bits(outputs));
      trial.configuration = Configuration({{"NAME", Value(std::string("shipped"))}});
      store.record(trial);
    };
    same_at(512, "shipped 512", 100, "x");
    same_at(1024, "shipped 1024", 400, "z");
    store.record(trial_of("alike", 1024, 300, bits("z")));
    store.record(trial_of("unlike", 1024, 200, bits("x")));
    store.record(trial_of("alone", 2048, 200, bits("x")));
    const db::SameBitsAs shipped{*store.find(key("shipped 512"))};
    CHECK(best_of(store, query_of(shipped, {1024})) == "alike");
    const db::BestQuery everywhere = query_of(shipped, {});
    const auto answers = db::best(store.connection(), everywhere);
    CHECK(answers.size() == 2);
    const auto without = db::unanswered(store.connection(), everywhere, answers);
    REQUIRE(without.size() == 1);
    CHECK(without.front().tuning_case.problem == db_test::cube(2048));
    CHECK(contains(without.front().lacks_bits, "is of 512, and its configuration was not tried here"));
  }

  TEST_CASE("at another size the trial's configuration counts as it was when the trial was measured") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    const auto shipped_at = [&](std::int64_t size, const std::string& definition, const char* outputs) {
      TrialRecord trial = trial_of(fmt::format("{} {}", definition, size), size, 400, bits(outputs));
      trial.configuration = Configuration({{"NAME", Value(std::string("shipped"))}});
      trial.definition = key(definition);
      store.record(trial);
      return trial.key;
    };
    const Digest then = shipped_at(512, "before the edit", "x");
    shipped_at(1024, "today", "y");
    store.record(trial_of("alike today", 1024, 300, bits("y")));
    CHECK(contains(best_of(store, query_of({*store.find(then)}, {1024})), "was not tried here"));
    shipped_at(1024, "before the edit", "z");
    store.record(trial_of("alike then", 1024, 300, bits("z")));
    CHECK(best_of(store, query_of({*store.find(then)}, {1024})) == "alike then");
  }

  TEST_CASE("a trial of another driver is held against too, since it had the same inputs") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    TrialRecord before = trial_of("before", 512, 100, bits("x"));
    before.environment.driver = "470";
    store.record(before);
    store.record(trial_of("today", 512, 90, bits("x")));
    store.record(trial_of("faster", 512, 80, bits("y")));
    const auto answers = db::best(store.connection(), query_of({*store.find(key("before"))}));
    REQUIRE(answers.size() == 2);
    for (const db::BestAnswer& answer : answers)
      CHECK(name_of(answer.winner) == (answer.tuning_case.environment.driver == "470" ? "before" : "today"));
  }

  TEST_CASE("a final of those bits alone decides among them, and leaves the answer of all as it is") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    store.record(default_of(512, 200, bits("x")));
    store.record(trial_of("fast", 512, 50, bits("y")));
    store.record(trial_of("a", 512, 100, bits("x")));
    store.record(trial_of("b", 512, 99, bits("x")));
    store.record(trial_of("c", 512, 120, bits("x")));
    FinalRecord final = sample_final();  // a before b; b is tied and chosen
    std::vector<TrialRecord> again = {trial_of("a", 512, 104, bits("x")), trial_of("b", 512, 105, bits("x")),
                                      trial_of("c", 512, 125, bits("x"))};
    final.chosen = key("a");
    store.record_final(final, again);
    const auto restricted = db::best(store.connection(), query_of({})).front();
    CHECK(name_of(restricted.winner) == "a");
    REQUIRE(restricted.final);
    CHECK(restricted.tied_count == 1);
    CHECK(restricted.same_bits == std::vector<std::vector<Digest>>{{key("a"), key("b"), key("c")}});
    db::BestQuery any = query_of({});
    any.same_bits.reset();
    CHECK(best_of(store, any) == "fast");
  }

  TEST_CASE(
      "bits travel by export, import and merge; an export from before there were any leaves them unknown") {
    const TempFolder folder;
    {
      db::ResultStore store(folder / "a.db");
      store.begin_run(db_test::sample_run());
      store.record(default_of(512, 200, bits("x")));
      store.record(trial_of("same", 512, 100, bits("x")));
    }
    std::ostringstream out;
    db::export_database(db::open_for_reading(folder / "a.db"), {}, out);
    std::string text = out.str();
    const auto import = [&](const std::string& name) {
      std::ofstream(folder / (name + ".jsonl")) << text;
      db::import_file(db::open_database(folder / (name + ".db")), folder / (name + ".jsonl"));
      return best_of(db::ResultStore(db::open_for_reading(folder / (name + ".db"))), query_of({}));
    };
    CHECK(import("b") == "same");
    db::merge_database(db::open_database(folder / "c.db"), folder / "a.db");
    CHECK(best_of(db::ResultStore(db::open_for_reading(folder / "c.db")), query_of({})) == "same");
    for (std::size_t at; (at = text.find("\"output_bits\":{")) != std::string::npos;)
      text.erase(at, text.find('}', at) + 2 - at);
    CHECK(contains(import("d"), "its bits are unknown"));
  }
}
