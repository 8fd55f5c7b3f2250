#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/merge.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using db_test::ask;
using db_test::error_of;
using db_test::TempFolder;

namespace {

int shipped_version() {
  return db::shipped_migrations().back().version;
}

/// The shipped schema and a step that a later version might take.
std::vector<db::Migration> with_next(std::string_view sql) {
  const auto shipped = db::shipped_migrations();
  std::vector<db::Migration> migrations(shipped.begin(), shipped.end());
  migrations.push_back({shipped_version() + 1, "more.sql", sql});
  return migrations;
}

std::filesystem::path copy_beside(const std::filesystem::path& path) {
  return fmt::format("{}.before-{:04}", path.string(), shipped_version() + 1);
}

void make_shipped_version(const std::filesystem::path& path) {
  db::ResultStore store(path);
  store.record(db_test::full_trial());
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("migrations are numbered from 1 without gaps") {
    int expected = 1;
    for (const db::Migration& migration : db::shipped_migrations()) CHECK(migration.version == expected++);
  }

  TEST_CASE("a migration keeps the rows and leaves a copy of what was before") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_shipped_version(path);
    const auto migrations = with_next("ALTER TABLE runs ADD COLUMN note TEXT;");
    db::open_database(path, {}, migrations);
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version() + 1));
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
    CHECK(ask(path, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'note'") == "1");
    const auto copy = copy_beside(path);
    CHECK(ask(copy, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(ask(copy, "PRAGMA application_id") == "1953853029");
    CHECK(ask(copy, "SELECT count(*) FROM trials") == "1");
    CHECK(error_of([&] { db::open_database(path); }).what() != std::string());
  }

  TEST_CASE("opening what is up to date copies nothing") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_shipped_version(path);
    make_shipped_version(path);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      CHECK_FALSE(contains(entry.path().string(), "before"));
    }
  }

  TEST_CASE("a migration that fails changes nothing") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_shipped_version(path);
    const auto broken = with_next("ALTER TABLE runs ADD COLUMN note TEXT; SELECT nonsense;");
    error_of([&] { db::open_database(path, {}, broken); });
    const auto orphaning = with_next("DELETE FROM kernels;");
    CHECK(contains(error_of([&] { db::open_database(path, {}, orphaning); }).what(), "refer to nothing"));
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(ask(path, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'note'") == "0");
    CHECK(ask(path, "SELECT count(*) FROM kernels") == "1");
    // Each try left a copy of its own.
    CHECK(std::filesystem::exists(copy_beside(path)));
    CHECK(std::filesystem::exists(copy_beside(path).string() + ".2"));
  }

  TEST_CASE("a database of version 1 loses nothing and gives the same answers") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    {
      // What version 0.1.0 left after two sweeps of two kernels, the first with an edited source.
      std::ifstream in(TUNER_SOURCE_DIR "/tests/db/version_1.sql");
      const std::string dump((std::istreambuf_iterator<char>(in)), {});
      REQUIRE(dump.size() > 10'000);
      db_test::meddle(path, dump + "PRAGMA user_version = 1; PRAGMA application_id = 1953853029;");
    }
    const db::Connection opened = db::open_for_reading(path);
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(std::filesystem::exists(path.string() + ".before-0002"));
    for (const auto& [table, rows] :
         {std::pair("trials", "32"), std::pair("measurements", "21"), std::pair("finals", "4"),
          std::pair("final_entries", "5"), std::pair("runs", "2"), std::pair("attempts", "32")}) {
      CAPTURE(table);
      CHECK(ask(path, fmt::format("SELECT count(*) FROM {}", table)) == rows);
    }
    CHECK(ask(path, "SELECT count(*) FROM trials WHERE superseded") == "16");
    CHECK(ask(path, "SELECT group_concat(DISTINCT size || ' ' || volume) FROM trial") == "100 100,200 200");
    CHECK(ask(path, "SELECT count(*) FROM trial WHERE median_ms IS NOT NULL AND ratio > 0") == "16");
    CHECK(ask(path, "SELECT count(*) FROM measurement") == "21");
    CHECK(ask(path, "SELECT count(*) FROM run") == "2");
    for (const auto& [size, id] : {std::pair(100, "29c132aa676035752b0d9f899ad6f6c8"),
                                   std::pair(200, "e930ad1390dc29f30b117511325c06f5")}) {
      db::BestQuery query;
      query.sizes = {size};
      const auto answers = db::best(opened, query);
      REQUIRE(answers.size() == 1);
      CHECK(answers[0].winner.key.hex() == id);
      CHECK(answers[0].final.has_value());
      CHECK(answers[0].newcomers.empty());
    }
  }

  TEST_CASE(
      "a database of version 2 loses nothing, and what cannot be launched is no part of its space any more") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    {
      // What the program before searches were remembered left after three sizes of a kernel, a third of whose
      // configurations has blocks of 2048 threads.
      std::ifstream in(TUNER_SOURCE_DIR "/tests/db/version_2.sql");
      const std::string dump((std::istreambuf_iterator<char>(in)), {});
      REQUIRE(dump.size() > 10'000);
      db_test::meddle(path, dump + "PRAGMA user_version = 2; PRAGMA application_id = 1953853029;");
    }
    const db::Connection opened = db::open_for_reading(path);
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(std::filesystem::exists(path.string() + ".before-0003"));
    for (const auto& [table, rows] :
         {std::pair("trials", "18"), std::pair("measurements", "9"), std::pair("finals", "3"),
          std::pair("runs", "2"), std::pair("searches", "0")}) {
      CAPTURE(table);
      CHECK(ask(path, fmt::format("SELECT count(*) FROM {}", table)) == rows);
    }
    CHECK(ask(path, "SELECT group_concat(DISTINCT status) FROM trials WHERE superseded") == "unlaunchable");
    CHECK(ask(path, "SELECT count(*) FROM trials WHERE superseded") == "6");
    CHECK(ask(path, "SELECT sum(trials) FROM tallies WHERE superseded = 0") == "12");
    CHECK(ask(path, "SELECT count(*) FROM trials WHERE idea <> ''") == "0");
    db::BestQuery query;
    query.sizes = {200};
    const auto answers = db::best(opened, query);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].winner.key.hex() == "0a8314760143d7f3a8571257ab5d8b33");
    CHECK(answers[0].final.has_value());
    CHECK_FALSE(answers[0].searched.has_value());
    CHECK(db::runs(opened).at(0).strategy.empty());
  }

  TEST_CASE(
      "a database of version 7 loses nothing, and what its spec excludes stays out wherever it is merged") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    {
      // Two sizes of a kernel, then its spec edited to exclude the fastest of three configurations. One
      // failure of the past and one death while probing were added.
      std::ifstream in(TUNER_SOURCE_DIR "/tests/db/version_7.sql");
      const std::string dump((std::istreambuf_iterator<char>(in)), {});
      REQUIRE(dump.size() > 10'000);
      db_test::meddle(path, dump + "PRAGMA user_version = 7; PRAGMA application_id = 1953853029;");
    }
    std::filesystem::copy_file(path, folder / "source.db");
    const db::Connection opened = db::open_for_reading(path);
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(std::filesystem::exists(path.string() + ".before-0008"));
    const auto merged = folder / "merged.db";
    db::merge_database(db::open_database(merged), folder / "source.db");
    for (const auto& database : {path, merged}) {
      CAPTURE(database.string());
      for (const auto& [table, rows] :
           {std::pair("trials", "6"), std::pair("measurements", "13"), std::pair("finals", "4"),
            std::pair("searches", "4"), std::pair("runs", "2"), std::pair("verdicts", "3"),
            std::pair("probings", "3"), std::pair("earlier_failures", "1"), std::pair("declarations", "1"),
            std::pair("judgements", "6"), std::pair("kernel_specs", "1")}) {
        CAPTURE(table);
        CHECK(ask(database, fmt::format("SELECT count(*) FROM {}", table)) == rows);
      }
      CHECK(ask(database, "SELECT sum(deaths) FROM verdicts") == "3");
      CHECK(ask(database, "SELECT group_concat(DISTINCT configuration) FROM trial WHERE superseded") ==
            "{\"BLOCK_SIZE\":16}");
      CHECK(ask(database, "SELECT group_concat(configuration ->> 'BLOCK_SIZE') FROM best") == "32,32");
    }
    CHECK(ask(path, "SELECT count(*) FROM attempts") == "9");
    // Nothing waits to be decided: the next merge changes no answer.
    db::merge_database(db::open_database(path), folder / "source.db");
    CHECK(ask(path, "SELECT group_concat(configuration ->> 'BLOCK_SIZE') FROM best") == "32,32");
  }

  TEST_CASE("an older schema is brought up to date by who reads it, or else the error names both versions") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_shipped_version(path);
    db::OpenOptions reading;
    reading.mode = db::Mode::read_only;
    const auto broken = with_next("SELECT nonsense;");
    const std::string refusal = error_of([&] { db::open_database(path, reading, broken); }).what();
    CHECK(contains(refusal, fmt::format("its schema is version {}", shipped_version())));
    CHECK(contains(refusal, fmt::format("reads version {}", shipped_version() + 1)));
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    const auto migrations = with_next("ALTER TABLE runs ADD COLUMN note TEXT;");
    CHECK_NOTHROW(db::open_database(path, reading, migrations));
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version() + 1));
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
  }
}
