#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"

using namespace db_test;
using db::ForgetQuery;
using tuner::model::Digest;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

TEST_SUITE("db") {
  namespace {

  /// A database with results whose time of day and run a test says.
  class Results {
   public:
    Results() : m_store(m_folder / "tuner.db") {
      for (const char* run : {"run", "later"}) m_store.begin_run(sample_run(run));
    }

    TrialRecord add(TrialRecord trial, const std::string& run, const std::string& measured_at) {
      trial.run = key(run);
      trial.measured_at = measured_at;
      trial.sequence = ++m_sequence;
      m_store.record_stamped(trial, false);
      return trial;
    }
    db::Forgotten forget(const ForgetQuery& query, bool dry_run = false) {
      return db::forget(m_store.connection(), query, dry_run);
    }
    std::string ask(const std::string& sql) const { return db_test::ask(m_folder / "tuner.db", sql); }
    db::ResultStore& store() { return m_store; }
    std::filesystem::path file() const { return m_folder / "tuner.db"; }

   private:
    TempFolder m_folder;
    db::ResultStore m_store;
    std::int64_t m_sequence = 0;
  };

  ForgetQuery of_run(const std::string& run) {
    ForgetQuery query;
    query.run = key(run);
    return query;
  }

  ForgetQuery of_kernel(const std::string& kernel) {
    ForgetQuery query;
    query.kernel = kernel;
    return query;
  }

  ForgetQuery of_trial(const std::string& trial) {
    ForgetQuery query;
    query.trial = key(trial);
    return query;
  }

  constexpr const char* monday = "2026-01-05T10:00:00.000000Z";
  constexpr const char* tuesday = "2026-01-06T10:00:00.000000Z";

  }  // namespace

  TEST_CASE("a dry run says what would go, and nothing goes") {
    Results results;
    results.add(timed_trial("a", 512, 100), "run", monday);
    CHECK(results.forget(of_trial("a"), true).trials == 1);
    CHECK(results.ask("SELECT count(*) FROM trials") == "1");
    CHECK(results.forget(of_trial("a")).trials == 1);
    CHECK(results.ask("SELECT count(*) FROM trials") == "0");
    CHECK(results.ask("SELECT count(*) FROM measurements") == "0");
  }

  TEST_CASE("of a trial that two runs measured the other's measurement stays, and is the current one") {
    for (const char* gone : {"run", "later"}) {
      CAPTURE(gone);
      Results results;
      results.add(timed_trial("a", 512, 100), "run", monday);
      results.add(timed_trial("a", 512, 200), "later", tuesday);
      REQUIRE(results.ask("SELECT median_ns FROM trials") == "200.0");
      const db::Forgotten forgotten = results.forget(of_run(gone));
      CHECK(forgotten.trials == 0);
      CHECK(forgotten.measurements == 1);
      CHECK(results.ask("SELECT median_ns FROM trials") == (gone == std::string("run") ? "200.0" : "100.0"));
    }
  }

  TEST_CASE("an energy goes with the result that it came with, whichever is the current one") {
    const auto left = [](bool is_last, const char* gone) {
      Results results;
      TrialRecord with_energy = timed_trial("a", 512, 100);
      TrialRecord without = with_energy;
      without.outcome.energy.reset();
      with_energy.outcome.energy->sequence = is_last ? 2 : 1;
      results.add(is_last ? without : with_energy, "run", monday);
      results.add(is_last ? with_energy : without, "later", tuesday);
      results.forget(of_run(gone));
      return results.ask("SELECT coalesce(energy_mean_j, '-') || coalesce(energy_runs, '-') FROM trials");
    };
    CHECK(left(true, "later") == "--");
    CHECK(left(false, "run") == "--");
    CHECK(left(true, "run") == "0.255");
    CHECK(left(false, "later") == "0.255");
  }

  TEST_CASE("of several measurements that stay the latest is the current one") {
    Results results;
    results.store().begin_run(sample_run("last"));
    results.add(timed_trial("a", 512, 100), "run", monday);
    results.add(timed_trial("a", 512, 200), "later", tuesday);
    results.add(timed_trial("a", 512, 300), "last", "2026-01-07T10:00:00.000000Z");
    results.forget(of_run("last"));
    CHECK(results.ask("SELECT median_ns FROM trials") == "200.0");
  }

  TEST_CASE(
      "of a trial that two runs had results of, measured or failed, the other run's is the current one") {
    const TrialRecord measured = timed_trial("a", 512, 100);
    const TrialRecord timeout = failed_trial("a", 512, TrialStatus::timeout);
    TrialRecord wrong = failed_trial("a", 512, TrialStatus::wrong_result);
    wrong.outcome.verification = {true, 5, 3, 12, 7, "C", "equal"};
    struct Order {
      TrialRecord first, second;
    };
    for (const Order& order : {Order{measured, timeout}, Order{timeout, measured}, Order{timeout, wrong},
                               Order{wrong, measured}, Order{measured, wrong}, Order{wrong, timeout}}) {
      for (const bool is_by_time : {false, true}) {
        for (const bool first_goes : {true, false}) {
          if (is_by_time && !first_goes) continue;
          const TrialRecord& stays = first_goes ? order.second : order.first;
          CAPTURE(to_string(order.first.outcome.status));
          CAPTURE(to_string(order.second.outcome.status));
          CAPTURE(first_goes);
          Results results;
          results.add(order.first, "run", monday);
          results.add(order.second, "later", tuesday);
          ForgetQuery query = of_run(first_goes ? "run" : "later");
          if (is_by_time) {
            query = {};
            query.before = tuesday;
          }
          const db::Forgotten gone = results.forget(query);
          CHECK(gone.trials == 0);
          CHECK(gone.measurements + gone.failures == 1);
          CHECK(results.ask("SELECT status FROM trials") == to_string(stays.outcome.status));
          CHECK(results.ask("SELECT coalesce(median_ns, 0) FROM trials") ==
                (stays.outcome.measurement ? "100.0" : "0"));
          CHECK(results.ask("SELECT coalesce(verification_wrong_elements, 0) FROM trials") ==
                std::to_string(stays.outcome.verification.wrong_elements));
          CHECK(results.ask("SELECT count(*) FROM measurements") == (stays.outcome.measurement ? "1" : "0"));
          CHECK(results.ask("SELECT count(*) FROM earlier_failures") == "0");
          // Of what stays nothing is left without the other run.
          CHECK(results.forget(of_run(first_goes ? "later" : "run")).trials == 1);
          CHECK(results.ask("SELECT count(*) FROM trials") == "0");
        }
      }
    }
  }

  TEST_CASE("what was measured at the very moment is not before it") {
    Results results;
    results.add(timed_trial("a", 512, 100), "run", monday);
    results.add(timed_trial("b", 512, 100), "run", tuesday);
    results.add(failed_trial("c", 512, TrialStatus::crashed), "run", monday);
    results.add(failed_trial("d", 512, TrialStatus::crashed), "run", tuesday);
    ForgetQuery query;
    query.before = tuesday;
    CHECK(results.forget(query).trials == 2);
    CHECK(results.ask("SELECT count(*) FROM trials WHERE measured_at = '" + std::string(tuesday) + "'") ==
          "2");
  }

  TEST_CASE("a binary and a verdict go with the last trial that has them") {
    Results results;
    for (const char* name : {"a", "b"}) {
      TrialRecord trial = timed_trial(name, 512, 100);
      trial.binary_key = key("shared binary");
      trial.probe_key = key("shared probes");
      results.add(trial, "run", monday);
    }
    tuner::model::ProbeVerdict verdict;
    verdict.probe = key("shared probes");
    verdict.status = TrialStatus::ok;
    verdict.trial = key("a");
    verdict.run = key("run");
    results.store().record_verdict(verdict);
    const auto left = [&] {
      return results.ask("SELECT (SELECT count(*) FROM binaries) || ' ' || (SELECT count(*) FROM verdicts)");
    };
    REQUIRE(left() == "1 1");
    results.forget(of_trial("a"));
    CHECK(left() == "1 1");
    CHECK(results.ask("SELECT count(*) FROM binary_kernels") == "1");
    results.forget(of_trial("b"));
    CHECK(left() == "0 0");
    CHECK(results.ask("SELECT count(*) FROM configurations") == "0");
  }

  TEST_CASE("a run takes what its probes said with it, and what that had cleared stands again") {
    Results results;
    for (const char* run : {"retried", "elsewhere"}) results.store().begin_run(sample_run(run));
    results.add(timed_trial("a", 512, 100), "run", monday);
    const auto probing = [&](const char* run, TrialStatus status, const std::string& time) {
      tuner::model::ProbeVerdict verdict;
      verdict.probe = key("a probes");
      verdict.status = status;
      verdict.trial = key("a");
      verdict.run = key(run);
      verdict.measured_at = time;
      return verdict;
    };
    const auto merge = [&](const char* run, TrialStatus status, const std::string& time) {
      const TempFolder folder;
      {
        db::ResultStore other(folder / "other.db");
        other.begin_run(sample_run(run));
        other.record(timed_trial("o", 1024, 100));
        other.record_verdict(probing(run, status, time));
      }
      db::merge_database(results.store().connection(), folder / "other.db");
    };
    const auto status = [&] {
      return results.ask("SELECT status FROM trials WHERE id = x'" + key("a").hex() + "'");
    };
    results.store().record_verdict(probing("run", TrialStatus::ok, monday));
    SUBCASE("a failure") {
      results.store().record_verdict(probing("later", TrialStatus::wrong_result, tuesday));
      CHECK(status() == "wrong_result");
      results.forget(of_run("later"));
      CHECK(status() == "ok");
      CHECK(results.ask("SELECT status || cleared FROM probings") == "ok0");
      CHECK(results.ask("SELECT status FROM verdicts") == "ok");
    }
    SUBCASE("a failure before a time") {
      merge("later", TrialStatus::wrong_result, "2026-01-04T10:00:00.000000Z");
      CHECK(status() == "wrong_result");
      ForgetQuery query;
      query.before = monday;
      results.forget(query);
      CHECK(status() == "ok");
    }
    SUBCASE("what cleared a failure") {
      merge("later", TrialStatus::wrong_result, tuesday);
      results.store().record_verdict(probing("retried", TrialStatus::ok, "2026-01-07T10:00:00.000000Z"));
      merge("elsewhere", TrialStatus::ok, "2026-01-05T11:00:00.000000Z");
      CHECK(status() == "ok");
      SUBCASE("goes") {
        results.forget(of_run("retried"));
        CHECK(status() == "wrong_result");
        results.forget(of_run("later"));
        CHECK(status() == "ok");
      }
      SUBCASE("stays") {
        results.forget(of_run("elsewhere"));
        CHECK(status() == "ok");
      }
    }
    CHECK(results.ask("PRAGMA foreign_key_check").empty());
  }

  TEST_CASE("a trial's attempts go with it, and nobody else's") {
    Results results;
    for (const char* name : {"a", "b"}) {
      const TrialRecord trial = results.add(timed_trial(name, 512, 100), "run", monday);
      results.store().open_attempt(trial);
    }
    results.forget(of_trial("a"));
    CHECK(results.ask("SELECT count(*) FROM attempts") == "1");
    CHECK(results.ask("SELECT count(*) FROM attempts WHERE trial = (SELECT id FROM trials)") == "1");
  }

  TEST_CASE("an attempt that no trial came of goes with its kernel, its run, or by its day") {
    for (const ForgetQuery& query : {of_kernel("register_tile"), of_run("run"), [] {
                                       ForgetQuery before;
                                       before.before = "9999";
                                       return before;
                                     }()}) {
      Results results;
      TrialRecord open = timed_trial("a", 512, 100);
      results.store().open_attempt(open);
      open.kernel = "other";
      open.run = key("later");
      results.store().open_attempt(open);
      CHECK(results.forget(query, true).attempts == (query.before.empty() ? 1 : 2));
      results.forget(query);
      CHECK(results.ask("SELECT coalesce(group_concat(k.name), '') FROM attempts AS a "
                        "JOIN kernels AS k ON k.id = a.kernel") == (query.before.empty() ? "other" : ""));
      CHECK(results.ask("PRAGMA foreign_key_check").empty());
    }
  }

  TEST_CASE("a run takes the finals with it that it held, though its finalists stay") {
    Results results;
    std::vector<TrialRecord> finalists;
    for (const char* name : {"a", "b", "c"})
      finalists.push_back(results.add(timed_trial(name, 512, 100), "run", monday));
    tuner::model::FinalRecord final = sample_final();
    final.run = key("later");
    final.measured_at = tuesday;
    final.sequence = 100;
    results.store().record_stamped(final, finalists, false);
    CHECK(results.forget(of_run("later")).finals == 1);
    CHECK(results.ask("SELECT count(*) FROM finals") == "0");
    CHECK(results.ask("SELECT count(*) FROM final_entries") == "0");
    CHECK(results.ask("SELECT count(*) FROM trials") == "3");
  }

  TEST_CASE("a size that cannot be read is named with the way to be rid of it, which works") {
    Results results;
    results.add(timed_trial("a", 512, 100), "run", monday);
    TrialRecord bad = timed_trial("b", 1024, 100);
    bad.kernel = "zero";
    results.add(bad, "later", monday);
    db_test::meddle(results.file(), "UPDATE problems SET sizes = '{\"M\":0}' WHERE size LIKE '1024%'");
    for (const ForgetQuery& query : {of_run("later"), of_kernel("zero")}) {
      const auto reads = [&] {
        std::ostringstream out;
        db::export_database(db::open_for_reading(results.file()), {}, out);
        TempFolder folder;
        db::merge_database(db::open_database(folder / "merged.db"), results.file());
      };
      const tuner::model::Error error = error_of(reads);
      CHECK(contains(error.what(), "a problem of the family matmul: "));
      CHECK(contains(error.hint(), "tuner forget --kernel matmul"));
      CHECK(results.forget(query, true).trials == 1);
      if (query.run) continue;
      CHECK(results.forget(query).trials == 1);
      reads();
      CHECK(results.ask("SELECT count(*) FROM trials") == "1");
    }
  }

  TEST_CASE("what was expected of a search goes with any kernel that took part in it") {
    Results results;
    TrialRecord other = timed_trial("o", 512, 100);
    other.kernel = "naive";
    results.add(other, "run", monday);
    results.add(timed_trial("a", 512, 100), "run", monday);
    tuner::model::SearchRecord search = sample_search();
    search.parts.push_back({"naive", key("spec of naive"), 4});
    results.store().record_search(search);
    ForgetQuery query;
    query.kernel = "naive";
    CHECK(results.forget(query).trials == 1);
    CHECK(results.ask("SELECT count(*) FROM searches") == "0");
    CHECK(results.ask("SELECT count(*) FROM search_kernels") == "0");
    CHECK(results.ask("SELECT count(*) FROM trials") == "1");
  }
}
