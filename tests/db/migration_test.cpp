#include <doctest/doctest.h>

#include <fstream>
#include <vector>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using db_test::ask;
using db_test::contains;
using db_test::error_of;
using db_test::TempFolder;

namespace {

/// The shipped schema and a step that a later version might take.
std::vector<db::Migration> with_second(std::string_view sql) {
  const auto shipped = db::shipped_migrations();
  std::vector<db::Migration> migrations(shipped.begin(), shipped.end());
  migrations.push_back({static_cast<int>(migrations.size()) + 1, "0002_more.sql", sql});
  return migrations;
}

void make_first_version(const std::filesystem::path& path) {
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
    make_first_version(path);
    const auto migrations = with_second("ALTER TABLE runs ADD COLUMN note TEXT;");
    db::open_database(path, {}, migrations);
    CHECK(ask(path, "PRAGMA user_version") == "2");
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
    CHECK(ask(path, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'note'") == "1");
    const auto copy = folder / "tuner.db.before-0002";
    CHECK(ask(copy, "PRAGMA user_version") == "1");
    CHECK(ask(copy, "PRAGMA application_id") == "1953853029");
    CHECK(ask(copy, "SELECT count(*) FROM trials") == "1");
    CHECK(error_of([&] { db::open_database(path); }).what() != std::string());
  }

  TEST_CASE("opening what is up to date copies nothing") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_first_version(path);
    make_first_version(path);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      CHECK_FALSE(contains(entry.path().string(), "before"));
    }
  }

  TEST_CASE("a migration that fails changes nothing") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_first_version(path);
    const auto broken = with_second("ALTER TABLE runs ADD COLUMN note TEXT; SELECT nonsense;");
    error_of([&] { db::open_database(path, {}, broken); });
    const auto orphaning = with_second("DELETE FROM kernels;");
    CHECK(contains(error_of([&] { db::open_database(path, {}, orphaning); }).what(), "refer to nothing"));
    CHECK(ask(path, "PRAGMA user_version") == "1");
    CHECK(ask(path, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'note'") == "0");
    CHECK(ask(path, "SELECT count(*) FROM kernels") == "1");
    // Each try left a copy of its own.
    CHECK(std::filesystem::exists(folder / "tuner.db.before-0002"));
    CHECK(std::filesystem::exists(folder / "tuner.db.before-0002.2"));
  }

  TEST_CASE("an older schema is not read but said, and brought up to date by writing") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_first_version(path);
    const auto migrations = with_second("ALTER TABLE runs ADD COLUMN note TEXT;");
    db::OpenOptions reading;
    reading.mode = db::Mode::read_only;
    CHECK(contains(error_of([&] { db::open_database(path, reading, migrations); }).what(), "version 1"));
    db::open_database(path, {}, migrations);
    CHECK_NOTHROW(db::open_database(path, reading, migrations));
  }
}
