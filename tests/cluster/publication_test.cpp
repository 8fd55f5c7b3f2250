#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/cluster/shared_file.hpp"

using namespace tuner;
using db_test::ask;
using db_test::TempFolder;
using namespace std::chrono_literals;

TEST_SUITE("cluster") {
  namespace {

  void measure(const std::filesystem::path& database, const std::string& name) {
    db::ResultStore store(database);
    store.begin_run(db_test::sample_run(name));
    model::TrialRecord trial = db_test::timed_trial(name, 512, 100);
    trial.run = db_test::key(name);
    store.record(trial);
  }

  std::string trials_in(const std::filesystem::path& database) {
    return ask(database, "SELECT count(*) FROM trials");
  }

  }  // namespace

  TEST_CASE("what is published is the whole database, and is copied again only where it has changed") {
    const TempFolder folder;
    measure(folder / "local.db", "a");
    cluster::Publication publication(folder / "local.db", folder / "1.db");
    CHECK_FALSE(publication.take_over());
    CHECK(publication.publish({}, 1s).copied);
    CHECK(trials_in(folder / "1.db") == "1");
    CHECK(ask(folder / "1.db", "PRAGMA journal_mode") == "delete");
    CHECK_FALSE(publication.publish({}, 1s).copied);
    measure(folder / "local.db", "b");
    CHECK(publication.publish({}, 1s).copied);
    CHECK(trials_in(folder / "1.db") == "2");
    std::filesystem::remove(folder / "1.db");
    CHECK(publication.publish({}, 1s).copied);
    CHECK(trials_in(folder / "1.db") == "2");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      CHECK_FALSE(contains(entry.path().string(), "snapshot"));
  }

  TEST_CASE("the progress beside it is written each time") {
    const TempFolder folder;
    measure(folder / "local.db", "a");
    cluster::Publication publication(folder / "local.db", folder / "1.db");
    cluster::PartProgress progress;
    for (int finished = 0; finished < 3; ++finished) {
      progress.finished = finished;
      publication.publish(progress, 1s);
      CHECK(cluster::read_progress(cluster::progress_file_of(folder / "1.db"))->finished == finished);
    }
  }

  TEST_CASE("a part that begins anew takes over what it had published, also from another host") {
    const TempFolder folder;
    measure(folder / "first.db", "a");
    cluster::Publication(folder / "first.db", folder / "1.db").publish({}, 1s);
    measure(folder / "second.db", "b");
    cluster::Publication again(folder / "second.db", folder / "1.db");
    const auto added = again.take_over();
    REQUIRE(added);
    CHECK(added->trials == 1);
    CHECK(trials_in(folder / "second.db") == "2");
    CHECK_FALSE(again.publish({}, 1s).gained);
    CHECK(trials_in(folder / "1.db") == "2");
  }

  TEST_CASE("two that publish to one file lose nothing of each other's") {
    const TempFolder folder;
    measure(folder / "one.db", "a");
    measure(folder / "two.db", "b");
    cluster::Publication one(folder / "one.db", folder / "1.db");
    cluster::Publication two(folder / "two.db", folder / "1.db");
    CHECK_FALSE(one.take_over());
    CHECK_FALSE(two.take_over());
    CHECK_FALSE(one.publish({}, 1s).gained);
    const auto second = two.publish({}, 1s);
    REQUIRE(second.gained);
    CHECK(second.gained->trials == 1);
    CHECK(trials_in(folder / "1.db") == "2");
    measure(folder / "one.db", "c");
    REQUIRE(one.publish({}, 1s).gained);
    CHECK(trials_in(folder / "1.db") == "3");
  }

  TEST_CASE("a publisher at work on the file is waited for, and told of where it takes too long") {
    const TempFolder folder;
    measure(folder / "local.db", "a");
    cluster::Publication publication(folder / "local.db", folder / "1.db");
    {
      const cluster::PublishLock other(folder / "1.db", 0s);
      const auto error = db_test::error_of([&] { publication.publish({}, 50ms); });
      CHECK(contains(error.what(), "another process is replacing it"));
    }
    CHECK(publication.publish({}, 0s).copied);
  }

  TEST_CASE("what is no database of ours, or is in use, is refused before the run and never replaced") {
    const TempFolder folder;
    measure(folder / "local.db", "a");
    const auto refusal = [&](const std::filesystem::path& file) {
      cluster::Publication publication(folder / "local.db", file);
      return std::string(db_test::error_of([&] { publication.take_over(); }).what());
    };
    std::ofstream(folder / "text") << std::string(5000, 'x');
    CHECK(contains(refusal(folder / "text"), "the file that is there is no database"));
    CHECK(contains(refusal(folder / "local.db"), "the database itself"));
    CHECK(contains(refusal(folder / "nowhere/1.db"), "nowhere"));
    CHECK(contains(refusal(folder.path()), "directory"));
    measure(folder / "used.db", "b");
    const db::ResultStore store(folder / "used.db");
    CHECK(contains(refusal(folder / "used.db"), "in use"));

    cluster::Publication publication(folder / "local.db", folder / "text");
    db_test::error_of([&] { publication.publish({}, 1s); });
    CHECK(std::filesystem::file_size(folder / "text") == 5000);
  }
}
