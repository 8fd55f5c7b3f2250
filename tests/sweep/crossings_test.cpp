// Where features meet: a merge and a final, a probe and a second size, a lost worker and a later run, a
// kernel alone and its family, a replay and the device it replays.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scripted_sweep.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;

namespace {

/// Kernels with specs of their own, and databases, in one folder.
struct Workshop {
  /// A kernel with these values of its parameter; an existing one's spec is written anew.
  void write(const std::string& kernel, const std::string& values) const {
    test::write_scripted_spec(folder / kernel, kernel, 1);
    const std::string path = folder / (kernel + "/" + kernel + ".toml");
    std::string text = test::read_text(path);
    const std::string old = "VARIANT = [1]";
    test::write_text(path, text.replace(text.find(old), old.size(), "VARIANT = [" + values + "]"));
  }
  std::string spec(const std::string& kernel) const { return folder.path() + "/" + kernel; }
  std::string database(const std::string& name) const { return folder / (name + ".db"); }

  test::ScriptedSweep sweep(const std::string& name, const std::vector<std::string>& kernels) const {
    test::ScriptedSweep sweep;
    for (const std::string& kernel : kernels) sweep.specs.emplace_back(spec(kernel));
    sweep.database = database(name);
    return sweep;
  }
  test::ScriptedSummary run(const std::string& name, const std::vector<std::string>& kernels) const {
    return test::run_scripted_sweep(sweep(name, kernels));
  }
  void merge(const std::string& target, const std::string& source) const {
    db::merge_database(db::open_database(database(target)), database(source));
  }
  std::optional<db::BestAnswer> best(const std::string& name, std::int64_t size = 100'000) const {
    db::BestQuery query;
    query.sizes = {size};
    std::vector<db::BestAnswer> answers = db::best(db::open_for_reading(database(name)), query);
    if (answers.empty() || !answers[0].exact) return std::nullopt;
    CHECK(answers.size() == 1);
    return std::move(answers[0]);
  }
  std::vector<model::TrialRecord> trials(const std::string& name) const {
    return db::trials(db::open_for_reading(database(name)), {});
  }
  /// The value of the fastest trial of a database, by how they raced.
  static std::string fastest_value(const std::vector<model::TrialRecord>& trials) {
    const model::TrialRecord* fastest = nullptr;
    for (const model::TrialRecord& trial : trials) {
      if (!trial.outcome.measurement) continue;
      if (!fastest || trial.outcome.measurement->median_ns < fastest->outcome.measurement->median_ns)
        fastest = &trial;
    }
    REQUIRE(fastest != nullptr);
    return value(*fastest);
  }
  static std::string value(const model::TrialRecord& trial) {
    const std::string text = trial.configuration.text();
    return text.substr(text.find('=') + 1);
  }

  test::TemporaryFolder folder;
};

bool any_says(const std::vector<std::string>& notices, const std::string& what) {
  return std::any_of(notices.begin(), notices.end(),
                     [&](const std::string& notice) { return notice.find(what) != std::string::npos; });
}

}  // namespace

TEST_SUITE("tuner::sweep crossings") {
  TEST_CASE("a faster result of another database wins once the spec in force describes it, and is raced") {
    const Workshop shop;
    shop.write("first", "1, 2, 3, 4");
    shop.run("all", {"first"});
    const std::string fastest = Workshop::fastest_value(shop.trials("all"));
    std::string others;
    for (const char* one : {"1", "2", "3", "4"}) {
      if (one != fastest) others += (others.empty() ? "" : ", ") + std::string(one);
    }
    shop.write("first", fastest);
    shop.run("early", {"first"});
    shop.write("first", others);
    CHECK(shop.run("late", {"first"}).finals == 1);
    REQUIRE(Workshop::value(shop.best("late")->winner) != fastest);

    shop.write("first", "1, 2, 3, 4");
    shop.merge("late", "early");
    const auto merged = shop.best("late");
    REQUIRE(merged);
    CHECK(Workshop::value(merged->winner) != fastest);  // the last spec that was declared here excludes it
    const auto raced = shop.run("late", {"first"});
    CHECK(raced.finished == 0);
    CHECK(raced.finals == 1);
    const auto answer = shop.best("late");
    CHECK(Workshop::value(answer->winner) == fastest);
    REQUIRE(answer->final);
    CHECK(answer->newcomers.empty());
    CHECK(shop.run("late", {"first"}).finals == 0);

    // The other way round it is the same.
    shop.merge("early", "late");
    CHECK(Workshop::value(shop.best("early")->winner) == fastest);
    CHECK(shop.best("early")->final.has_value());
  }

  TEST_CASE("databases merged in any order answer alike, and alike again when the rest was raced") {
    const Workshop shop;
    const std::vector<std::string> parts = {"1, 2", "3", "2, 4, 5", "6, 1"};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      shop.write("first", parts[i]);
      shop.write("second", parts[parts.size() - 1 - i]);
      const std::vector<std::string> kernels =
          i % 2 == 0 ? std::vector<std::string>{"first", "second"} : std::vector<std::string>{"first"};
      shop.run("part" + std::to_string(i), kernels);
    }
    shop.write("first", "1, 2, 3, 4, 5, 6");
    shop.write("second", "1, 2, 3, 4, 5, 6");
    std::mt19937 random(20261122);
    std::vector<std::size_t> order = {0, 1, 2, 3};
    std::optional<model::Digest> winner;
    for (int round = 0; round < 6; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      const std::string name = "merged" + std::to_string(round);
      CAPTURE(round);
      for (const std::size_t part : order) shop.merge(name, "part" + std::to_string(part));
      const auto answer = shop.best(name);
      REQUIRE(answer);
      if (!winner) winner = answer->winner.key;
      CHECK(answer->winner.key == *winner);
      for (const std::size_t part : order) shop.merge(name, "part" + std::to_string(part));
      CHECK(shop.best(name)->winner.key == *winner);
    }
    for (int round = 0; round < 6; ++round) {
      const std::string name = "merged" + std::to_string(round);
      CHECK(shop.run(name, {"first", "second"}).finals == 1);
      CHECK(Workshop::value(shop.best(name)->winner) == Workshop::fastest_value(shop.trials(name)));
      CHECK(shop.best(name)->final.has_value());
      CHECK(shop.best(name)->winner.key == shop.best("merged0")->winner.key);
    }
  }

  TEST_CASE("a binary that a probe found wrong is out at every size, and its probes are run once") {
    const Workshop shop;
    shop.write("wrong_on_probes", "1, 2");
    shop.write("second", "1");
    test::ScriptedSweep sweep = shop.sweep("tuner", {"wrong_on_probes", "second"});
    test::run_scripted_sweep(sweep);
    CHECK(shop.best("tuner")->winner.kernel == "second");
    sweep.sizes = {200'000};
    const auto again = test::run_scripted_sweep(sweep);
    CHECK(again.finished == 3);
    CHECK(again.failed == 2);
    CHECK(shop.best("tuner", 200'000)->winner.kernel == "second");
    for (const model::TrialRecord& trial : shop.trials("tuner")) {
      if (trial.kernel != "wrong_on_probes") continue;
      CHECK(trial.outcome.status == model::TrialStatus::wrong_result);
      CHECK(trial.outcome.detail == "scripted probe");
    }
    const db::Connection connection = db::open_for_reading(shop.database("tuner"));
    CHECK(connection.integer("SELECT count(*) FROM attempts AS a JOIN kernels AS k ON k.id = a.kernel "
                             "WHERE k.name = 'wrong_on_probes'") == 2);
  }

  TEST_CASE("two sizes in one sweep: what failed a probe at the first is not launched at the second") {
    const Workshop shop;
    shop.write("wrong_on_probes", "1, 2");
    test::ScriptedSweep sweep = shop.sweep("tuner", {"wrong_on_probes"});
    sweep.sizes = {100'000, 200'000, 300'000};
    CHECK(test::run_scripted_sweep(sweep).failed == 6);
    for (const std::int64_t size : sweep.sizes) CHECK_FALSE(shop.best("tuner", size));
  }

  TEST_CASE("a worker that dies while it has nothing to do is started again, and nobody is blamed") {
    const Workshop shop;
    shop.write("leave", "1, 2, 3, 4, 5");
    const auto summary = shop.run("tuner", {"leave"});
    CHECK(summary.finished == 5);
    CHECK(summary.failed == 0);
    for (const model::TrialRecord& trial : shop.trials("tuner"))
      CHECK(trial.outcome.status == model::TrialStatus::ok);
  }

  TEST_CASE("a death is tried again by a later run until the quarantine, and when that is asked for") {
    const Workshop shop;
    std::string kernel;
    SUBCASE("a crash") {
      kernel = "crash";
    }
    SUBCASE("a hang") {
      kernel = "hang";
    }
    shop.write(kernel, "1");
    test::ScriptedSweep sweep = shop.sweep("tuner", {kernel});
    sweep.deadline = std::chrono::milliseconds(100);
    const auto status = [&] { return shop.trials("tuner").at(0).outcome.status; };
    CHECK(test::run_scripted_sweep(sweep).finished == 1);
    CHECK(model::is_death(status()));
    CHECK(test::run_scripted_sweep(sweep).finished == 1);
    CHECK(status() == model::TrialStatus::quarantined);
    CHECK(test::run_scripted_sweep(sweep).finished == 0);
    sweep.retry_failed = true;
    CHECK(test::run_scripted_sweep(sweep).finished == 1);
  }

  TEST_CASE("what is no death is known for good, unless failures are to be tried again") {
    const Workshop shop;
    shop.write("wrong_edge", "1, 2");
    test::ScriptedSweep sweep = shop.sweep("tuner", {"wrong_edge"});
    CHECK(test::run_scripted_sweep(sweep).failed == 2);
    CHECK(test::run_scripted_sweep(sweep).finished == 0);
    sweep.retry_failed = true;
    CHECK(test::run_scripted_sweep(sweep).finished == 2);
  }

  TEST_CASE("a kernel tuned alone meets its family in the final where the specs are at hand") {
    const Workshop shop;
    shop.write("first", "1, 2");
    shop.write("second", "1, 2");
    shop.run("tuner", {"first", "second"});
    shop.write("second", "1, 2, 3, 4, 5, 6, 7, 8");
    test::ScriptedSweep sweep = shop.sweep("tuner", {"second"});
    sweep.rivals = {shop.spec("first")};
    const auto summary = test::run_scripted_sweep(sweep);
    CHECK(summary.finished == 6);
    CHECK(summary.finals == 1);
    CHECK(summary.notices.empty());
    const auto answer = shop.best("tuner");
    REQUIRE(answer->final);
    CHECK(Workshop::value(answer->winner) == Workshop::fastest_value(shop.trials("tuner")));
  }

  TEST_CASE("a kernel tuned without its family has a final of its own, which says who was not there") {
    const Workshop shop;
    shop.write("first", "1, 2, 3");
    shop.run("tuner", {"first"});
    shop.write("second", "1, 2, 3");
    const auto alone = shop.run("tuner", {"second"});
    CHECK(alone.finals == 1);
    CHECK_MESSAGE(any_says(alone.notices, ": first, whose spec is not at hand"), alone.notices.size());
    // Who wins is decided between all of them all the same.
    CHECK(Workshop::value(shop.best("tuner")->winner) == Workshop::fastest_value(shop.trials("tuner")));
    const auto together = shop.run("tuner", {"first", "second"});
    CHECK(together.finished == 0);
    CHECK(together.finals == 1);
    CHECK(shop.best("tuner")->final.has_value());
  }

  TEST_CASE("a forgotten winner leaves the next one, and forgetting everything leaves nothing") {
    const Workshop shop;
    shop.write("first", "1, 2, 3");
    shop.run("tuner", {"first"});
    const model::Digest winner = shop.best("tuner")->winner.key;
    const db::Connection connection = db::open_database(shop.database("tuner"));
    db::ForgetQuery query;
    query.trial = winner;
    CHECK(db::forget(connection, query, true).trials == 1);
    CHECK(shop.best("tuner")->winner.key == winner);
    CHECK(db::forget(connection, query, false).trials == 1);
    CHECK(shop.best("tuner")->winner.key != winner);
    CHECK(shop.run("tuner", {"first"}).finished == 1);
    CHECK(shop.best("tuner")->winner.key == winner);
    db::ForgetQuery all;
    all.kernel = "first";
    CHECK(db::forget(connection, all, false).trials == 3);
    CHECK_FALSE(shop.best("tuner"));
    CHECK(connection.text("PRAGMA foreign_key_check").empty());
  }

  TEST_CASE("inputs that cannot be made are the problem's failure: said once, charged to no configuration") {
    const Workshop shop;
    std::string kernel;
    SUBCASE("the device says so") {
      kernel = "unprepared";
    }
    SUBCASE("its process dies of it") {
      kernel = "crash_preparing";
    }
    shop.write(kernel, "1, 2, 3, 4");
    shop.write("second", "1, 2");
    test::write_text(shop.folder / (kernel + "/reference.cu"),
                     "// Not what the other is verified against.\n");
    const auto summary = shop.run("tuner", {kernel, "second"});
    CHECK(summary.unprepared == 4);
    CHECK(summary.finished == 2);
    CHECK(summary.failed == 0);
    CHECK(summary.notices.size() == 1);
    CHECK(shop.trials("tuner").size() == 2);
    CHECK(shop.best("tuner")->winner.kernel == "second");
    CHECK(shop.run("tuner", {kernel, "second"}).unprepared == 4);  // asked anew by a later run
  }

  TEST_CASE("a replay has a class of its own and leaves the device's answers as they are") {
    const Workshop shop;
    shop.write("first", "1, 2");
    shop.run("tuner", {"first"});
    const auto before = shop.best("tuner");
    shop.write("first", "1, 2, 3, 4, 5, 6");
    test::ScriptedSweep replay = shop.sweep("tuner", {"first"});
    replay.device = "Scripted GPU (replay)";
    replay.recorded_device = "Scripted GPU";
    test::run_scripted_sweep(replay);
    db::BestQuery query;
    query.sizes = {100'000};
    const auto answers = db::best(db::open_for_reading(shop.database("tuner")), query);
    REQUIRE(answers.size() == 2);
    int replays = 0;
    for (const db::BestAnswer& answer : answers) {
      if (answer.tuning_case.environment == before->tuning_case.environment)
        CHECK(answer.winner.key == before->winner.key);
      else
        ++replays;
    }
    CHECK(replays == 1);
  }
}
