#include <doctest/doctest.h>

#include <algorithm>

#include "db/best.hpp"
#include "db/result_store.hpp"
#include "db/stored_values.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::cube;
using db_test::failed_trial;
using db_test::TempFolder;
using db_test::timed_trial;

namespace {

std::vector<std::string> names(const std::vector<db::Ranked>& ranked) {
  std::vector<std::string> out;
  for (const db::Ranked& one : ranked) out.push_back(one.trial.configuration.find("NAME")->text());
  return out;
}

/// The ranking of the only answer that a query has. The first of it are the same where no more are asked for.
std::vector<db::Ranked> ranked(const db::Connection& connection, const db::BestQuery& query = {}) {
  const std::vector<db::BestAnswer> answers = db::best(connection, query);
  REQUIRE(answers.size() == 1);
  const std::vector<db::Ranked> all = db::ranking(connection, answers.front(), query);
  for (std::size_t most = 0; most < all.size() + 2; ++most) {
    const db::FirstRanked first = db::first_ranked(connection, answers.front(), query, most);
    const std::size_t kept = std::min(most, all.size());
    REQUIRE(first.ranking.size() == kept);
    CHECK(first.left_out == all.size() - kept);
    for (std::size_t i = 0; i < kept; ++i) {
      CHECK(first.ranking[i].trial == all[i].trial);
      CHECK(first.ranking[i].ratio == all[i].ratio);
      CHECK(first.ranking[i].in_final == all[i].in_final);
    }
  }
  return all;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("a ranking begins with the chosen one, then goes by the final's ratios and by medians") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run());
    for (const char* name : {"a", "b", "c"}) store.record(timed_trial(name, 512, 1000));
    store.record(timed_trial("raced", 512, 1020));
    store.record(timed_trial("slow", 512, 3000));
    store.record(failed_trial("bad", 512, TrialStatus::crashed));
    store.record_final(db_test::sample_final(), {timed_trial("a", 512, 1000), timed_trial("b", 512, 1002),
                                                 timed_trial("c", 512, 1050)});
    const std::vector<db::Ranked> list = ranked(store.connection());
    CHECK(names(list) == std::vector<std::string>{"b", "a", "raced", "c", "slow"});
    CHECK(list[0].in_final);
    CHECK(list[0].ratio_high == 1.006);
    CHECK_FALSE(list[2].in_final);
    // What the fastest takes in a race is the median of 1000, 1000 / 1.002 and 1000 / 1.04.
    CHECK(list[2].ratio == doctest::Approx(1.02 * 1.002));
    CHECK(list[3].ratio == 1.04);  // of the final, whatever its median
  }

  TEST_CASE("without a final a ranking goes by the medians of the race") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record(timed_trial("second", 512, 200));
    store.record(timed_trial("first", 512, 100));
    TrialRecord other = timed_trial("third", 512, 300);
    other.kernel = "shared";
    store.record(other);
    TrialRecord library = timed_trial("library", 512, 50);
    library.role = Role::baseline;
    store.record(library);
    TrialRecord dropped = timed_trial("dropped", 512, 150);
    dropped.outcome.status = TrialStatus::dropped;
    store.record(dropped);
    CHECK(names(ranked(store.connection())) ==
          std::vector<std::string>{"first", "dropped", "second", "third"});
    db::BestQuery query;
    query.kernel = "shared";
    const std::vector<db::Ranked> of_kernel = ranked(store.connection(), query);
    CHECK(names(of_kernel) == std::vector<std::string>{"third"});
    CHECK(of_kernel.front().ratio == 1);
  }

  TEST_CASE("without a size every size is answered for, of every padding that is asked for") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    for (const std::int64_t size : {2048, 512, 1000})
      store.record(timed_trial(std::to_string(size), size, 100));
    TrialRecord padded = timed_trial("padded", 512, 100);
    padded.problem.row_padding = 32;
    store.record(padded);
    TrialRecord other = timed_trial("other", 512, 100);
    other.problem.family = "sum";
    store.record(other);
    CHECK(db::best(store.connection(), {}).size() == 4);
    db::BestQuery any;
    any.row_padding.reset();
    CHECK(db::best(store.connection(), any).size() == 5);
    any.family = "sum";
    CHECK(db::best(store.connection(), any).size() == 1);
  }

  TEST_CASE("an identifier is as short as tells it from every other trial, and seven digits at least") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto with_key = [&](const std::string& hex) {
      TrialRecord trial = timed_trial(hex, 512, 100);
      trial.key = Digest::from_hex(hex);
      store.record(trial);
      return trial.key;
    };
    const Digest alone = with_key("11111111111111111111111111111111");
    const Digest near = with_key("22222222200000000000000000000000");
    const Digest nearer = with_key("22222222210000000000000000000000");
    db::ShortIds ids(store.connection());
    CHECK(ids.of(alone) == "1111111");
    CHECK(ids.of(near) == "2222222220");
    CHECK(ids.of(nearer) == "2222222221");
    for (const Digest& key : {alone, near, nearer})
      CHECK(db::find_trial(store.connection(), ids.of(key)).key == key);
  }

  TEST_CASE("a trial's identifier may be too short, ambiguous, unknown or none at all") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record(timed_trial("a", 512, 100));
    const auto error = [&](const std::string& prefix) {
      return db_test::error_of([&] { db::find_trial(store.connection(), prefix); });
    };
    const std::string known = db_test::key("a").hex();
    CHECK(contains(error(known.substr(0, 3)).what(), "too short"));
    CHECK(error(known.substr(0, 3)).code() == ExitCode::usage);
    std::string unknown = known.substr(0, 8);
    unknown.back() = unknown.back() == '0' ? '1' : '0';
    CHECK(error(unknown).code() == ExitCode::nothing_found);
    CHECK(contains(error("nonsense").what(), "is not the beginning"));
    TrialRecord twin = timed_trial("twin", 512, 100);
    twin.key = Digest::from_hex(known.substr(0, 30) + (known.substr(30) == "00" ? "11" : "00"));
    store.record(twin);
    CHECK(contains(error(known.substr(0, 8)).what(), "several trials begin with"));
  }
}
