#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "db/planning.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using namespace db_test;
using tuner::model::ElsewhereQuery;
using tuner::model::TrialRecord;

TEST_SUITE("db::elsewhere") {
  namespace {

  const ElsewhereQuery of_512 = {{cube(512), sample_environment()}, {"register_tile"}, {}};

  class Store {
   public:
    Store() : m_store(m_folder / "tuner.db") {}

    void add(std::int64_t size, const std::function<void(TrialRecord&)>& edit = {}, int trials = 1) {
      for (int i = 0; i < trials; ++i) {
        TrialRecord trial = timed_trial(fmt::format("{}", ++m_count), size, 100);
        if (edit) edit(trial);
        m_store.record(trial);
      }
    }
    void add(const std::string& device, int trials, const std::string& driver = "580.159.04") {
      add(
          512,
          [&](TrialRecord& trial) {
            trial.environment.device = device;
            trial.environment.driver = driver;
          },
          trials);
    }

    /// The sizes, or the devices of other environments, that are remembered, in their order.
    std::string remembered(const ElsewhereQuery& query = of_512) {
      std::string text;
      for (const auto& place : db::find_elsewhere(m_store.connection(), query)) {
        const auto& of = place.tuning_case.environment;
        const bool is_same_environment = of == query.tuning_case.environment;
        text += (text.empty() ? "" : " ") +
                (is_same_environment ? place.tuning_case.problem.size_text() : of.device) +
                (is_same_environment || of.driver == sample_environment().driver ? "" : "/" + of.driver);
      }
      return text;
    }
    std::vector<tuner::model::Elsewhere> all(const ElsewhereQuery& query = of_512) {
      return db::find_elsewhere(m_store.connection(), query);
    }

   private:
    TempFolder m_folder;
    db::ResultStore m_store;
    int m_count = 0;
  };

  }  // namespace

  TEST_CASE("of the class itself the four nearest other sizes are remembered, the nearest first") {
    Store results;
    for (const std::int64_t size : {4096, 512, 2048, 1024, 8192, 300, 16384}) results.add(size);
    CHECK(results.remembered() == "300 1024 2048 4096");
    CHECK(results.remembered({{cube(16384), sample_environment()}, {"register_tile"}, {}}) ==
          "8192 4096 2048 1024");
  }

  TEST_CASE("what is excepted is not remembered, nor are other families, types and kernels") {
    Store results;
    for (const std::int64_t size : {1024, 2048}) results.add(size);
    results.add(1024, [](TrialRecord& trial) { trial.problem.family = "other"; });
    results.add(1024, [](TrialRecord& trial) { trial.problem.type = tuner::model::ElementType::float64; });
    results.add(4096, [](TrialRecord& trial) { trial.kernel = "naive"; });
    ElsewhereQuery query = of_512;
    query.except = {{cube(1024), sample_environment()}};
    const auto found = results.all(query);
    REQUIRE(!found.empty());
    CHECK(found[0].tuning_case.problem == cube(2048));
    CHECK(found[0].results.size() == 1);
    CHECK(
        std::all_of(found.begin() + 1, found.end(), [](const auto& place) { return place.results.empty(); }));
  }

  TEST_CASE("of other classes four are remembered: those of this device, then those that know most") {
    Store results;
    results.add("A", 2);
    results.add("B", 5);
    results.add("C", 1);
    results.add("D", 4);
    results.add("E", 3);
    CHECK(results.remembered() == "B D E A");
    results.add("NVIDIA H200", 1, "535.54");
    CHECK(results.remembered() == "NVIDIA H200/535.54 B D E");
  }

  TEST_CASE("of another class the nearest size alone is remembered") {
    Store results;
    for (const std::int64_t size : {2048, 1024, 4096})
      results.add(size, [](TrialRecord& trial) { trial.environment.device = "A"; });
    const auto found = results.all();
    REQUIRE(found.size() == 1);
    CHECK(found[0].tuning_case.problem == cube(1024));
  }

  TEST_CASE("a remembered result has its time, or that it failed, and none has what was skipped") {
    Store results;
    results.add(1024, [](TrialRecord& trial) { trial.outcome.measurement->median_ns = 7; });
    const auto fails_as = [&](tuner::model::TrialStatus status) {
      results.add(1024, [&](TrialRecord& trial) {
        trial.outcome = {};
        trial.outcome.status = status;
      });
    };
    fails_as(tuner::model::TrialStatus::wrong_result);
    fails_as(tuner::model::TrialStatus::skipped);
    fails_as(tuner::model::TrialStatus::quarantined);
    const auto found = results.all();
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].results.size() == 2);
    CHECK(found[0].results[0].median_ns == 7);
    CHECK(found[0].results[1].status == tuner::model::TrialStatus::wrong_result);
    CHECK_FALSE(found[0].results[1].median_ns);
  }

  TEST_CASE("of a thousand results the fastest are all remembered, and a share of the others") {
    Store results;
    double median_ns = 100;
    results.add(
        1024, [&](TrialRecord& trial) { trial.outcome.measurement->median_ns = ++median_ns; }, 1300);
    const auto found = results.all();
    REQUIRE(found.size() == 1);
    const auto& known = found[0].results;
    const auto fast = std::count_if(known.begin(), known.end(),
                                    [](const auto& result) { return *result.median_ns <= 900; });
    CHECK(fast == 800);
    CHECK(known.size() > 900);
    CHECK(known.size() < 1250);
  }
}
