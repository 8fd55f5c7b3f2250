#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/finals.hpp"
#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::cube;
using db_test::error_of;
using db_test::key;
using db_test::sample_environment;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  const Digest before = key("before");
  const Digest edited = key("edited");
  constexpr const char* kernel = "register_tile";  // of every timed_trial()

  TrialRecord of(const Digest& definition, TrialRecord trial) {
    trial.definition = definition;
    return trial;
  }

  /// What a sweep of the kernel with this definition says before it begins.
  template <typename Results>
  void declare(Results& results, ResultSource& past, const Digest& definition) {
    const KernelDeclaration declaration{"matmul",   kernel,     Role::competitor,
                                        definition, definition, "tiled.toml"};
    std::vector<Judgement> judgements;
    for (const PastTrial& trial : past.undecided(declaration))
      judgements.push_back({trial.key, trial.definition == definition});
    results.declare(declaration, judgements);
  }

  void use(db::ResultStore& store, const Digest& definition) {
    declare(store, store, definition);
  }

  /// The name and the size of what `best` answers; empty where it answers nothing.
  std::string best(const db::Connection& db, const std::string& of_kernel = "") {
    db::BestQuery query;
    query.sizes = {512};
    query.kernel = of_kernel;
    const auto answers = db::best(db, query);
    if (answers.empty()) return "";
    const TrialRecord& winner = answers.at(0).winner;
    return winner.configuration.find("NAME")->text() + " " + winner.problem.size_text();
  }

  /// What the view `best` says of 512.
  std::string view(const std::filesystem::path& path) {
    return ask(path, "SELECT configuration ->> 'NAME' FROM best WHERE size = '512'");
  }

  FinalRecord final_of(const std::string& chosen) {
    FinalRecord final = db_test::sample_final();
    final.entries = {{key(chosen), 1, 1, 1, true}};
    final.chosen = key(chosen);
    return final;
  }

  void record_final(db::ResultStore& store, const Digest& definition, const std::string& name,
                    double median_ns) {
    FinalRecord final = final_of(name);
    final.coverage = store.possible_final(cube(512), sample_environment(), 2, 10).coverage;
    TrialRecord winner = of(definition, timed_trial(name, 512, median_ns));
    winner.run = final.run;
    store.record_final(final, {winner});
  }

  /// An old and a new trial, the old one faster; which source is in use stays unsaid.
  void fill(const std::filesystem::path& path, bool newest_is_edited = true) {
    db::ResultStore store(path);
    if (!newest_is_edited) store.record(of(edited, timed_trial("new", 512, 100)));
    store.record(of(before, timed_trial("old", 512, 50)));
    if (newest_is_edited) store.record(of(edited, timed_trial("new", 512, 100)));
  }

  std::string exported(const std::filesystem::path& path) {
    std::ostringstream out;
    db::export_database(db::open_for_reading(path), {}, out);
    return out.str();
  }

  }  // namespace

  TEST_CASE(
      "after an edit the best is of the new source, though the old one was faster; going back brings it "
      "back") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    use(store, before);
    TrialRecord untuned = of(before, timed_trial("old default", 512, 70));
    untuned.is_default = true;
    store.record(untuned);
    store.record(of(before, timed_trial("old", 512, 50)));
    use(store, edited);
    store.record(of(edited, timed_trial("new", 512, 100)));
    CHECK(best(store.connection()) == "new 512");
    CHECK(best(store.connection(), kernel) == "new 512");
    CHECK(view(path) == "new");
    CHECK(store.best_ns(cube(512), sample_environment()) == 100);
    db::BestQuery query;
    query.sizes = {512};
    const db::BestAnswer answer = db::best(store.connection(), query).at(0);
    CHECK(answer.tied.empty());
    CHECK_FALSE(answer.untuned);
    CHECK(answer.tuning_case.ok == 1);
    CHECK(store.known({key("old")}).size() == 1);
    CHECK(db::is_superseded(store.connection(), key("old")));
    CHECK_FALSE(db::is_superseded(store.connection(), key("new")));
    use(store, before);
    CHECK(best(store.connection()) == "old 512");
    CHECK(view(path) == "old");
    CHECK(store.best_ns(cube(512), sample_environment()) == 50);
    CHECK(db::best(store.connection(), query).at(0).untuned);
    CHECK(db::is_superseded(store.connection(), key("new")));
  }

  TEST_CASE("a trial that arrives of a source no longer in use is kept, and does not compete") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    use(store, edited);
    store.record(of(before, timed_trial("late", 512, 50)));
    CHECK(best(store.connection()).empty());
    CHECK(store.find(key("late"))->definition == before);
    CHECK(store.possible_final(cube(512), sample_environment(), 2, 10).finalists.empty());
  }

  TEST_CASE("an edit concerns its own kernel, whatever its parameters") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    use(store, before);
    TrialRecord shared = of(before, timed_trial("shared", 512, 90));
    shared.kernel = "shared";
    store.record(shared);
    TrialRecord renamed = of(before, timed_trial("renamed", 512, 10));
    renamed.configuration = Configuration({{"NAME", Value(std::string("renamed"))}, {"TILE", Value(8)}});
    store.record(renamed);
    store.record(of(before, timed_trial("old", 512, 50)));
    use(store, edited);
    CHECK(best(store.connection()) == "shared 512");
    CHECK(best(store.connection(), kernel).empty());
    CHECK(ask(path, "SELECT sum(superseded) FROM trials") == "2");
  }

  TEST_CASE(
      "a size swept only with an older source is answered by the nearest that was swept with this one") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    use(store, before);
    store.record(of(before, timed_trial("old", 512, 50)));
    use(store, edited);
    CHECK(best(store.connection()).empty());
    CHECK(db::cases(store.connection()).empty());
    store.record(of(edited, timed_trial("new", 1024, 100)));
    CHECK(best(store.connection()) == "new 1024");
    use(store, before);
    CHECK(best(store.connection()) == "old 512");
  }

  TEST_CASE("a final that chose an older source does not count; one that did before counts again") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    const auto finalists = [&] {
      const PossibleFinal field = store.possible_final(cube(512), sample_environment(), 2, 10);
      std::size_t fresh = 0;
      for (std::size_t i = 0; i < field.finalists.size(); ++i) {
        const bool considered = field.considered.size() == 1 && field.considered[0][i];
        fresh += considered ? 0 : 1;
      }
      return fresh;
    };
    store.begin_run(db_test::sample_run());
    use(store, before);
    store.record(of(before, timed_trial("old", 512, 50)));
    store.record(of(before, timed_trial("tuned", 512, 49)));
    record_final(store, before, "old", 51);
    use(store, edited);
    CHECK(best(store.connection()).empty());
    CHECK(ask(path, "SELECT count(*) FROM final") == "0");
    store.record(of(edited, timed_trial("new", 512, 100)));
    CHECK(best(store.connection()) == "new 512");
    CHECK(ask(path, "SELECT remeasured FROM best") == "0");
    CHECK(finalists() == 1);
    record_final(store, edited, "new", 101);
    CHECK(finalists() == 0);
    CHECK(ask(path, "SELECT remeasured FROM best") == "1");
    CHECK(ask(path, "SELECT configuration ->> 'NAME' FROM final") == "new");
    use(store, before);
    db::BestQuery query;
    query.sizes = {512};
    const db::BestAnswer answer = db::best(store.connection(), query).at(0);
    CHECK(answer.winner.key == key("old"));
    REQUIRE(answer.final);
    CHECK(answer.newcomers.empty());
    CHECK(finalists() == 0);
    db::TrialFilter current;
    current.superseded = false;
    CHECK(db::finals(store.connection(), current).size() == 1);
    CHECK(db::finals(store.connection()).size() == 2);
  }

  TEST_CASE("a source that is in use already costs no write: another process may hold the lock") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::OpenOptions impatient;
    impatient.busy_timeout = std::chrono::milliseconds(1);
    db::ResultStore store(path, impatient);
    use(store, before);
    const db::Connection other = db::open_database(path);
    other.execute("BEGIN IMMEDIATE");
    CHECK_NOTHROW(use(store, before));
    CHECK_THROWS_AS(use(store, edited), Error);
    db::PendingResults results(
        store, [](const std::string&) {}, std::chrono::milliseconds(0));
    declare(results, store, edited);
    CHECK(results.pending() == 1);
    other.execute("COMMIT");
    CHECK_FALSE(results.finish());
    CHECK(ask(path, "SELECT lower(hex(definition)) FROM kernel_specs") == edited.hex());
  }

  TEST_CASE("what was judged by a spec is not judged by it again, and costs no write") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto written = [&](const Digest& source) {
      const auto total = [&] { return store.connection().integer("SELECT total_changes()"); };
      const std::int64_t start = total();
      use(store, source);
      return total() - start;
    };
    CHECK(written(before) > 0);
    store.record(of(before, timed_trial("a", 512, 50)));
    store.record(of(before, timed_trial("b", 512, 51)));
    CHECK(written(before) == 0);
    CHECK(written(edited) > 2);
    CHECK(written(edited) == 0);
  }

  TEST_CASE(
      "merging keeps the source in use here; an export says it too; where none is known, the newest "
      "trial does") {
    const TempFolder folder;
    const auto merged_into = [&](const Digest& in_use, bool newest_is_edited) {
      fill(folder / "from.db", newest_is_edited);
      const auto path = folder / "to.db";
      {
        db::ResultStore store(path);
        if (!in_use.empty()) use(store, in_use);
        db::merge_database(store.connection(), folder / "from.db");
      }
      const std::string merged = view(path);
      CHECK(best(db::open_for_reading(path)) == merged + " 512");
      CHECK(ask(path, "SELECT count(*) FROM trials") == "2");
      const std::string text = exported(path);
      CHECK(contains(text, "\"definition\":\"" + before.hex() + "\""));
      std::ofstream(folder / "to.jsonl") << text;
      {
        const db::Connection imported = db::open_database(folder / "imported.db");
        db::import_file(imported, folder / "to.jsonl");
      }
      const std::string read = view(folder / "imported.db");
      CHECK(exported(folder / "imported.db") == text);
      for (const char* name : {"from.db", "to.db", "imported.db"}) std::filesystem::remove(folder / name);
      return merged + ", imported: " + read;
    };
    CHECK(merged_into(before, true) == "old, imported: old");
    CHECK(merged_into(edited, false) == "new, imported: new");
    CHECK(merged_into({}, true) == "new, imported: new");
    CHECK(merged_into({}, false) == "old, imported: old");
  }

  TEST_CASE("an export that says no source brings trials that compete, and forgets no source that is known") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    use(store, edited);
    store.record(of(before, timed_trial("old", 512, 50)));
    TrialRecord old = of({}, timed_trial("old", 512, 40));
    old.sequence = 1'000'000'000;  // measured knowing the other
    TrialRecord stranger = of({}, timed_trial("stranger", 512, 60));
    stranger.measured_at = "2025-01-01T00:00:00.000Z";
    CHECK(contains(db::export_line(db::StoredTrial{old}), "\"definition\":null"));
    std::ofstream(folder / "x.jsonl") << db::header_line() << db::export_line(db::StoredTrial{old})
                                      << db::export_line(db::StoredTrial{stranger});
    db::import_file(store.connection(), folder / "x.jsonl");
    CHECK(store.find(key("old"))->definition == before);
    CHECK(store.find(key("old"))->outcome.measurement->median_ns == 40);
    CHECK(best(store.connection()) == "stranger 512");
  }

  TEST_CASE("lists hold every trial unless they are asked for those of one kind") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    use(store, edited);
    store.record(of(before, timed_trial("old", 512, 50)));
    store.record(of(before, db_test::failed_trial("failed", 512, TrialStatus::crashed)));
    store.record(of(edited, timed_trial("new", 512, 100)));
    db::TrialFilter filter;
    CHECK(db::trials(store.connection(), filter).size() == 3);
    filter.superseded = false;
    CHECK(db::trials(store.connection(), filter).at(0).key == key("new"));
    CHECK(db::count_trials(store.connection(), filter) == 1);
    filter.superseded = true;
    CHECK(db::trials(store.connection(), filter).size() == 2);
    filter = {};
    filter.failures = true;
    CHECK(db::trials(store.connection(), filter).size() == 1);
  }
}
