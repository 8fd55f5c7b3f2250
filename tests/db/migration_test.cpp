#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "db/database.hpp"
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
