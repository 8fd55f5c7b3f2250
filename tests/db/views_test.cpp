// What the views for people add to the rows: numbers to sort and compare by.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using db_test::ask;
using db_test::TempFolder;
using db_test::timed_trial;
using tuner::model::TrialRecord;

namespace {

/// What the program's own connection answers, which trusts no schema.
std::string answered(const std::filesystem::path& path, const std::string& sql) {
  return db::open_for_reading(path).text(sql);
}

TrialRecord baseline_trial(const std::string& name, std::int64_t size, double median_ns) {
  TrialRecord trial = timed_trial(name, size, median_ns);
  trial.kernel = "library";
  trial.role = tuner::model::Role::baseline;
  return trial;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("sizes sort as numbers, whatever their dimensions") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    for (const int size : {1024, 64, 4096, 512, 8})
      store.record(timed_trial(fmt::format("cube {}", size), size, 100));
    TrialRecord flat = timed_trial("flat", 1, 100);
    flat.problem.sizes = {{"M", 64}, {"N", 4096}, {"K", 4096}};
    store.record(flat);
    TrialRecord line = timed_trial("line", 1, 100);
    line.problem.sizes = {{"N", 100}};
    store.record(line);
    TrialRecord vast = timed_trial("vast", 10'000'000'000, 100);
    store.record(vast);
    for (const char* view : {"best", "trial"}) {
      CAPTURE(view);
      const std::string sql =
          fmt::format("SELECT group_concat(size, ' ') FROM (SELECT size FROM {} ORDER BY volume)", view);
      const std::string sorted = "100 8 64 512 1024 64x4096x4096 4096 10000000000";
      CHECK(ask(path, sql) == sorted);
      CHECK(answered(path, sql) == sorted);
    }
    CHECK(ask(path, "SELECT volume FROM problem WHERE size = '64x4096x4096'") == "1073741824");
    CHECK(ask(path, "SELECT sizes ->> 'N' FROM trial WHERE size = '64x4096x4096'") == "4096");
    CHECK(ask(path, "SELECT volume FROM trial WHERE size = '10000000000'") == "1.0e+30");
  }

  TEST_CASE("a trial's first metric is the spec's first, and none where it is no number") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    TrialRecord two = timed_trial("two", 512, 100);
    two.metrics = {{"z/s", 3.5}, {"a/s", 7}};
    store.record(two);
    TrialRecord endless = timed_trial("endless", 1024, 100);
    endless.metrics = {{"z/s", std::numeric_limits<double>::infinity()}, {"a/s", 7}};
    store.record(endless);
    TrialRecord none = timed_trial("none", 2048, 100);
    none.metrics.clear();
    store.record(none);
    for (const char* view : {"best", "trial", "measurement"}) {
      CAPTURE(view);
      CHECK(
          answered(path, fmt::format("SELECT group_concat(coalesce(metric_name, '-') || ' ' || "
                                     "coalesce(metric, '-'), ', ') FROM (SELECT * FROM {} ORDER BY {})",
                                     view, view == std::string("measurement") ? "measured_at" : "volume")) ==
          "z/s 3.5, z/s -, - -");
    }
  }

  TEST_CASE("a trial's ratio is to the one to use of its own contest, which a final may have chosen") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.begin_run(db_test::sample_run());
    std::vector<TrialRecord> finalists = {timed_trial("a", 512, 100), timed_trial("b", 512, 100.2),
                                          timed_trial("c", 512, 104)};
    for (const TrialRecord& trial : finalists) store.record(trial);
    store.record(timed_trial("slow", 512, 200));
    store.record(baseline_trial("vendor", 512, 50));
    store.record(db_test::failed_trial("bad", 512, tuner::model::TrialStatus::wrong_result));
    TrialRecord other = timed_trial("elsewhere", 512, 1000);
    other.environment = db_test::sample_environment("NVIDIA A100");
    store.record(other);
    const auto ratio = [&](const std::string& name) {
      return answered(path, fmt::format("SELECT coalesce(round(ratio, 4), 'none') FROM trial "
                                        "WHERE configuration ->> 'NAME' = '{}'",
                                        name));
    };
    CHECK(ratio("a") == "1.0");
    CHECK(ratio("slow") == "2.0");
    CHECK(ratio("vendor") == "0.5");
    CHECK(ratio("bad") == "none");
    CHECK(ratio("elsewhere") == "1.0");

    store.record_final(db_test::sample_final(), finalists);
    CHECK(ask(path, "SELECT configuration ->> 'NAME' FROM best WHERE device = 'NVIDIA H200'") == "b");
    CHECK(ratio("b") == "1.0");
    CHECK(ratio("a") == "0.998");
    CHECK(ratio("slow") == "1.996");
    CHECK(ask(path, "SELECT count(DISTINCT tuning_case) FROM trial") == "2");
    CHECK(
        ask(path,
            "SELECT count(*) FROM best AS b JOIN trial AS t USING (tuning_case) WHERE t.role = 'baseline'") ==
        "1");
    CHECK(ask(path, "SELECT count(*) FROM final AS f JOIN run AS r ON r.id = f.run") == "3");
  }

  TEST_CASE("every measurement of a trial is there, and one of them is current") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.record(timed_trial("again", 512, 100));
    store.record(timed_trial("again", 512, 90));
    CHECK(answered(path,
                   "SELECT group_concat((median_ms * 1e6) || ' ' || current, ', ') FROM "
                   "(SELECT * FROM measurement ORDER BY median_ms)") == "90.0 1, 100.0 0");
    CHECK(ask(path,
              "SELECT count(*) FROM measurement AS m JOIN trial AS t ON t.id = m.trial "
              "WHERE m.current AND m.median_ms = t.median_ms") == "1");
  }
}
