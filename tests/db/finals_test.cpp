#include "db/finals.hpp"

#include <doctest/doctest.h>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::cube;
using db_test::error_of;
using db_test::failed_trial;
using db_test::key;
using db_test::measured_again;
using db_test::race_and_hold_final;
using db_test::sample_environment;
using db_test::sample_final;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  std::vector<std::string> names_of(const std::vector<TrialRecord>& trials) {
    std::vector<std::string> names;
    for (const TrialRecord& trial : trials) names.push_back(trial.configuration.find("NAME")->text());
    return names;
  }

  using Names = std::vector<std::string>;
  using Considered = std::vector<std::vector<bool>>;

  db::BestAnswer answer(const db::ResultStore& store, const std::string& kernel = "") {
    db::BestQuery query;
    query.sizes = {512};
    query.kernel = kernel;
    return db::best(store.connection(), query).at(0);
  }

  std::string winner(const db::ResultStore& store, const std::string& kernel = "") {
    return names_of({answer(store, kernel).winner}).at(0);
  }

  /// How many finalists their final does not cover as they are now.
  constexpr const char* not_covered =
      "SELECT count(*) FROM final_entries AS e JOIN trials AS t ON t.id = e.trial "
      "JOIN kernels AS k ON k.id = t.kernel "
      "WHERE NOT EXISTS (SELECT 1 FROM final_coverage AS v WHERE v.final = e.final AND v.run = t.run "
      "AND v.kernel = k.name AND t.sequence BETWEEN v.first AND v.last)";

  /// What the view `best` names, by its NAME.
  std::string view(const std::filesystem::path& path) {
    return ask(path, "SELECT configuration ->> 'NAME' || ' ' || remeasured FROM best");
  }

  }  // namespace

  TEST_CASE("a final makes its measurements the current ones of its finalists, and covers them") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    race_and_hold_final(store);
    CHECK(store.find(key("a"))->outcome.measurement->median_ns == 101);
    CHECK(db::measurements(store.connection(), key("a")).size() == 2);
    CHECK(db::measurements(store.connection(), key("d")).size() == 1);
    CHECK(ask(path, not_covered) == "0");
    CHECK(ask(path, "SELECT measured FROM runs") == "4");
    const auto finals = db::finals(store.connection());
    REQUIRE(finals.size() == 1);
    CHECK(db::final_with(store.connection(), key("c"))->chosen == key("b"));
    CHECK_FALSE(db::final_with(store.connection(), key("d")));
    CHECK(finals[0].problem == cube(512));
    CHECK(finals[0].environment == sample_environment());
    CHECK(finals[0].chosen == key("b"));
    CHECK(finals[0].rounds == 60);
    CHECK(finals[0].throttled_rounds == 3);
    CHECK(finals[0].run == key("run"));
    REQUIRE(finals[0].entries.size() == 3);
    CHECK(finals[0].entries[1].trial == key("b"));
    CHECK(finals[0].entries[1].ratio_high == 1.006);
    CHECK(finals[0].entries[1].tied);
    CHECK_FALSE(finals[0].entries[2].tied);
    db::TrialFilter other;
    other.family = "stencil";
    CHECK(db::finals(store.connection(), other).empty());
  }

  TEST_CASE("of a final that cannot be kept nothing is kept") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.record(timed_trial("a", 512, 100));
    const auto record = [&](auto change) {
      FinalRecord final = sample_final();
      change(final);
      return std::string(error_of([&] { store.record_final(final, measured_again()); }).what());
    };
    CHECK(contains(record([](FinalRecord& f) { f.entries.clear(); }), "0 finalists"));
    CHECK(contains(record([](FinalRecord& f) { f.chosen = key("c"); }), "none of those tied"));
    CHECK(contains(record([](FinalRecord& f) { f.entries[2].ratio = 0; }), "no ratio"));
    CHECK(
        contains(record([](FinalRecord& f) { f.entries[2].trial = key("x"); }), "no trial of that problem"));
    CHECK(contains(record([](FinalRecord& f) { f.problem = cube(64); }), "no trial of that problem"));
    CHECK(ask(path, "SELECT count(*) FROM finals") == "0");
    CHECK(store.find(key("a"))->outcome.measurement->median_ns == 100);
    CHECK_FALSE(store.find(key("b")));
  }

  TEST_CASE("contenders are the ok trials near the fastest, and which of them a final has considered") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto finalists = [&](double within, int most) {
      return names_of(store.possible_final(cube(512), sample_environment(), within, most).finalists);
    };
    const auto considered = [&] {
      return store.possible_final(cube(512), sample_environment(), 1.2, 10).considered;
    };
    CHECK(finalists(1.1, 10).empty());
    store.record(timed_trial("slow", 512, 120));
    store.record(timed_trial("second", 512, 104));
    store.record(timed_trial("first", 512, 100));
    store.record(timed_trial("other size", 1024, 100));
    TrialRecord dropped = timed_trial("dropped", 512, 101);
    dropped.outcome.status = TrialStatus::dropped;
    store.record(dropped);
    CHECK(finalists(1.1, 10) == Names{"first", "second"});
    CHECK(finalists(1.2, 10) == Names{"first", "second", "slow"});
    CHECK(finalists(1.2, 1) == Names{"first"});
    CHECK(considered().empty());
    race_and_hold_final(store);  // a, b, c and d are new, a, b and c in the final
    CHECK(finalists(1.2, 10) == Names{"first", "a", "b", "second", "c", "slow"});
    CHECK(considered() == Considered{{false, true, true, false, true, false}});
    store.record(failed_trial("bad", 512, TrialStatus::crashed));
    CHECK(finalists(1.2, 10).size() == 6);
    store.record(timed_trial("a", 512, 100.5));
    CHECK(considered() == Considered{{false, false, true, false, true, false}});
  }

  TEST_CASE("a final covers what was there when its contenders were chosen, contender or not") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    race_and_hold_final(store);
    FinalRecord final = sample_final();
    final.coverage = store.possible_final(cube(512), sample_environment(), 1.1, 10).coverage;
    store.record(timed_trial("late", 512, 90, 1));  // by another, while the final is held
    store.record_final(final, measured_again());
    CHECK(winner(store) == "late");
    const PossibleFinal field = store.possible_final(cube(512), sample_environment(), 2, 10);
    CHECK(names_of(field.finalists) == Names{"late", "a", "b", "c", "d"});
    CHECK(field.considered == Considered{{false, true, true, true, true}});
  }

  TEST_CASE("a final does not cover what its probes had failed then, and that is right again since") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    for (const auto& [name, time_ns] : {std::pair("a", 100), {"failed", 90}, {"b", 104}})
      store.record(timed_trial(name, 512, time_ns, 1));
    const auto probe = [&](TrialStatus status, const char* time) {
      store.record_verdict({key("failed probes"), status, "", 0, key("failed"), key("run"), time});
    };
    probe(TrialStatus::wrong_result, "2026-01-01T00:00:00.000000Z");
    FinalRecord final = sample_final();
    final.entries.pop_back();
    final.coverage = store.possible_final(cube(512), sample_environment(), 1.1, 10).coverage;
    store.record_final(final, {timed_trial("a", 512, 101, 0.5), timed_trial("b", 512, 101.2, 0.5)});
    CHECK(winner(store) == "b");
    probe(TrialStatus::ok, "2026-01-02T00:00:00.000000Z");
    CHECK(winner(store) == "failed");
    const PossibleFinal field = store.possible_final(cube(512), sample_environment(), 1.2, 10);
    CHECK(names_of(field.finalists) == Names{"failed", "a", "b"});
    CHECK(field.considered == Considered{{false, true, true}});
  }

  TEST_CASE("a final covers trials too of which nobody knows the run") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    race_and_hold_final(store);
    TrialRecord of_old = timed_trial("of old", 512, 103, 1);
    of_old.run = {};
    store.record(of_old);
    FinalRecord final = sample_final();
    final.coverage = store.possible_final(cube(512), sample_environment(), 1.1, 10).coverage;
    store.record_final(final, measured_again());
    const PossibleFinal field = store.possible_final(cube(512), sample_environment(), 1.1, 10);
    CHECK(names_of(field.finalists) == Names{"a", "b", "of old", "c"});
    CHECK(field.considered == Considered{{true, true, true, true}});
  }

  TEST_CASE("what raced is held against the race, where the last rounds of a final were at a lower clock") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    for (const auto& [name, time_ns] : {std::pair("a", 100), {"b", 101}, {"c", 104}, {"next", 103}})
      store.record(timed_trial(name, 512, time_ns, 1));
    FinalRecord final = sample_final();
    final.entries = {{key("a"), 1, 1, 1, true},
                     {key("b"), 1.01, 1.009, 1.011, false},
                     {key("c"), 1.04, 1.03, 1.05, false}};
    final.chosen = key("a");
    std::vector<TrialRecord> again = {timed_trial("a", 512, 121, 0.5), timed_trial("b", 512, 104, 0.5),
                                      timed_trial("c", 512, 107, 0.5)};
    again[0].outcome.measurement->sm_clock_mhz = 1625;
    for (std::size_t i : {1U, 2U}) again[i].outcome.measurement->sm_clock_mhz = 1900;
    final.coverage = store.possible_final(cube(512), sample_environment(), 1.1, 10).coverage;
    store.record_final(final, again);

    const db::BestAnswer found = answer(store);
    CHECK(names_of({found.winner}) == Names{"a"});
    CHECK(found.check.is_off_clock());
    CHECK_FALSE(found.check.is_unsettled());
    CHECK(found.check.in_turn_ns == doctest::Approx(103).epsilon(0.005));
    CHECK(found.check.rivals_mhz == 1900);
    const auto ranked = db::ranking(store.connection(), found, {});
    REQUIRE(ranked.size() == 4);
    CHECK(names_of({ranked[0].trial, ranked[1].trial, ranked[2].trial}) == Names{"a", "b", "next"});
    CHECK(ranked[2].ratio == doctest::Approx(1.03).epsilon(0.005));
    CHECK(db::times_as_long(found, ranked[2].trial) == doctest::Approx(1.03).epsilon(0.005));

    // And who would be in the next final is asked of the race too: a stays the fastest.
    const PossibleFinal field = store.possible_final(cube(512), sample_environment(), 1.035, 10);
    CHECK(names_of(field.finalists) == Names{"a", "b", "next"});
    CHECK_FALSE(field.unsettled);
  }

  TEST_CASE("a final of one that took longer than others raced in is unsettled, and considers none of them") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    for (const auto& [name, time_ns] : {std::pair("a", 32), {"rival", 62}, {"slow", 200}})
      store.record(timed_trial(name, 512, time_ns, 1));
    FinalRecord final = sample_final();
    final.entries = {{key("a"), 1, 1, 1, true}};
    final.chosen = key("a");
    final.coverage = store.possible_final(cube(512), sample_environment(), 1.1, 10).coverage;
    TrialRecord again = timed_trial("a", 512, 115, 0.5);
    const auto clocks = [&](double raced_mhz, double final_mhz) {
      TrialRecord raced = timed_trial("a", 512, 32, 1);
      raced.outcome.measurement->sm_clock_mhz = raced_mhz;
      store.record(raced);
      again.outcome.measurement->sm_clock_mhz = final_mhz;
    };
    SUBCASE("nothing explains it") {
      clocks(0, 0);
      store.record_final(final, {again});
      const db::BestAnswer found = answer(store);
      CHECK(found.check.is_unsettled());
      CHECK(found.check.faster_elsewhere == 1);
      CHECK(found.check.fastest_elsewhere == key("rival"));
      CHECK_FALSE(found.check.is_off_clock());
      const PossibleFinal field = store.possible_final(cube(512), sample_environment(), 1.1, 10);
      CHECK(field.unsettled);
      CHECK(names_of(field.finalists) == Names{"a", "rival"});
      CHECK(field.considered == Considered{{true, true}});
    }
    SUBCASE("its clock does") {
      clocks(1980, 550);
      store.record_final(final, {again});
      CHECK_FALSE(answer(store).check.is_unsettled());
      CHECK_FALSE(store.possible_final(cube(512), sample_environment(), 1.1, 10).unsettled);
    }
  }

  TEST_CASE("the best is what the last final chose, with those it tied with") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    race_and_hold_final(store);
    const db::BestAnswer found = answer(store);
    CHECK(names_of({found.winner}) == Names{"b"});
    CHECK(names_of(found.tied) == Names{"a"});
    CHECK(found.tied_count == 1);
    REQUIRE(found.final);
    CHECK(found.final->entries.size() == 3);
    CHECK(found.newcomers.empty());
    CHECK(view(path) == "b 1");
    CHECK(ask(path, "SELECT tied FROM best") == "1");
    CHECK(ask(path, "SELECT configuration ->> 'NAME' || ratio FROM final WHERE chosen") == "b1.002");
  }

  TEST_CASE("a newer trial makes a final old, and only one that is clearly faster beats it") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    race_and_hold_final(store);
    // Within the interval of b, 100.7 to 101.7.
    store.record(timed_trial("new", 512, 100.8, 0.1));
    CHECK(names_of({answer(store).winner}) == Names{"b"});
    CHECK(answer(store).final);
    REQUIRE(answer(store).newcomers.size() == 1);
    CHECK(answer(store).newcomers[0].trials == 1);
    CHECK(answer(store).newcomers[0].kernel == "register_tile");
    CHECK(view(path) == "b 1");
    store.record(timed_trial("newer", 512, 90, 0.1));
    CHECK(names_of({answer(store).winner}) == Names{"newer"});
    CHECK_FALSE(answer(store).final);
    CHECK(answer(store).had_final);
    CHECK(view(path) == "newer 0");
    FinalRecord final = sample_final();
    final.entries = {{key("newer"), 1, 1, 1, true}};
    final.chosen = key("newer");
    final.coverage = store.possible_final(cube(512), sample_environment(), 1.1, 10).coverage;
    store.record_final(final, {timed_trial("newer", 512, 91, 0.1)});
    CHECK(answer(store).final);
    CHECK(answer(store).tied.empty());
    CHECK(view(path) == "newer 1");
  }

  TEST_CASE("what was chosen and fails since is not the best any more") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    race_and_hold_final(store);
    store.record(failed_trial("b", 512, TrialStatus::wrong_result));
    CHECK(names_of({answer(store).winner}) == Names{"a"});
    CHECK_FALSE(answer(store).final);
    CHECK(view(path) == "a 0");
  }

  TEST_CASE("one kernel's best is taken from the final too, whoever won it") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto of_shared = [](TrialRecord trial) {
      trial.kernel = "shared";
      return trial;
    };
    store.record(timed_trial("a", 512, 100));
    store.record(of_shared(timed_trial("e", 512, 90)));
    store.record(of_shared(timed_trial("f", 512, 90)));
    store.record(of_shared(timed_trial("g", 512, 90)));
    FinalRecord final = sample_final();
    final.chosen = key("a");
    final.entries = {{key("a"), 1, 1, 1, true},
                     {key("e"), 1.05, 1.04, 1.06, false},
                     {key("f"), 1.055, 1.045, 1.065, false},
                     {key("g"), 1.08, 1.07, 1.09, false}};
    store.record_final(final, {timed_trial("a", 512, 100), of_shared(timed_trial("e", 512, 105.5)),
                               of_shared(timed_trial("f", 512, 105)), of_shared(timed_trial("g", 512, 108))});
    CHECK(winner(store) == "a");
    CHECK(winner(store, "shared") == "e");
    CHECK(names_of(answer(store, "shared").tied) == Names{"f"});
    CHECK(answer(store, "shared").final);
    // Faster than any of shared, and than nobody of register_tile.
    store.record(of_shared(timed_trial("h", 512, 103)));
    CHECK(winner(store, "shared") == "h");
    CHECK_FALSE(answer(store, "shared").final);
    CHECK(answer(store).final);
    TrialRecord naive = timed_trial("n", 512, 400);
    naive.kernel = "naive";
    store.record(naive);
    CHECK(winner(store, "naive") == "n");
    CHECK_FALSE(answer(store, "naive").final);
  }

  TEST_CASE("a final waits with its finalists while the database is locked, in a file that can be imported") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::OpenOptions impatient;
    impatient.busy_timeout = std::chrono::milliseconds(1);
    db::ResultStore store(path, impatient);
    db::PendingResults results(
        store, [](const std::string&) {}, std::chrono::milliseconds(0));
    results.begin_run(db_test::sample_run());
    const db::Connection other = db::open_database(path);
    other.execute("BEGIN IMMEDIATE");
    results.record_final(sample_final(), measured_again());
    CHECK(results.pending() == 1);
    const auto left = results.finish();
    REQUIRE(left);
    CHECK(left->finals == 1);
    CHECK(left->trials == 0);
    const db::Connection fresh = db::open_database(folder / "fresh.db");
    CHECK(db::import_file(fresh, left->file).trials == 3);
    CHECK(db::finals(fresh).at(0).chosen == key("b"));
    other.execute("COMMIT");
    CHECK_FALSE(results.finish());
    CHECK(ask(path, "SELECT count(*) FROM final_entries") == "3");
    CHECK(ask(path, "SELECT median_ns FROM trials ORDER BY median_ns") == "101.0");
    CHECK(ask(path, not_covered) == "0");
  }

  TEST_CASE("where the fastest is forgotten, ratios are by the first that is left of those tied with it") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    for (const auto& [name, ns] : {std::pair{"a", 100.0}, {"b", 101.0}, {"c", 104.03}})
      store.record(timed_trial(name, 512, ns));
    store.record(timed_trial("d", 512, 140));
    TrialRecord library = timed_trial("library", 512, 80);
    library.role = Role::baseline;
    FinalRecord final = sample_final();
    final.entries = {{key("a"), 1, 1, 1, true},
                     {key("library"), 0.8, 0.79, 0.81, false},
                     {key("b"), 1.01, 0.999, 1.02, true},
                     {key("c"), 1.0403, 1.03, 1.05, false}};
    std::vector<TrialRecord> again = {timed_trial("a", 512, 100), library, timed_trial("b", 512, 101),
                                      timed_trial("c", 512, 104.03)};
    store.record_final(final, again);
    const auto slower = [&](const char* name) {
      return db::times_as_long(answer(store), store.find(key(name)).value());
    };
    const double of_finalist = slower("c"), of_other = slower("d");
    db::ForgetQuery query;
    query.trial = key("a");
    db::forget(store.connection(), query, false);
    const db::BestAnswer left = answer(store);
    REQUIRE(left.final);
    REQUIRE(left.final->entries.size() == 3);
    CHECK(left.final->entries[0].trial == key("b"));
    CHECK(left.final->entries[0].ratio == 1);
    CHECK(left.final->entries[0].ratio_high == 1);
    CHECK(left.final->entries[1].ratio == doctest::Approx(0.8 / 1.01));
    CHECK(left.final->entries[2].ratio == doctest::Approx(1.03));
    CHECK(slower("c") == doctest::Approx(of_finalist));
    CHECK(slower("d") == doctest::Approx(of_other));
    CHECK(left.check.final_ns == 101);
    for (const db::Ranked& one : db::ranking(store.connection(), left, {}))
      CHECK(one.ratio == doctest::Approx(db::times_as_long(left, one.trial)));
  }

  TEST_CASE("of two trials the last final that both took part in is found") {
    const TempFolder folder;
    db::ResultStore store(folder / "a.db");
    race_and_hold_final(store);
    const auto between = [&](const char* a, const char* b) {
      return db::final_between(store.connection(), key(a), key(b));
    };
    REQUIRE(between("a", "c"));
    CHECK(between("a", "c")->chosen == key("b"));
    CHECK(between("c", "a")->entries.size() == 3);
    CHECK_FALSE(between("a", "nobody"));
    SUBCASE("whatever the clock of its host says") {
      FinalRecord later = sample_final();
      later.rounds = 7;
      std::vector<TrialRecord> finalists = measured_again();
      store.stamp(later, finalists);
      later.measured_at = "2001-01-01T00:00:00.000000Z";
      for (TrialRecord& trial : finalists) trial.measured_at = later.measured_at;
      store.record_stamped(later, finalists, false);
      CHECK(between("a", "c")->rounds == 7);
      CHECK(db::final_with(store.connection(), key("b"))->rounds == 7);
    }
  }
}
