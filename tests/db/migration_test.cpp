#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using db_test::ask;
using db_test::error_of;
using db_test::TempFolder;

namespace {

int shipped_version() {
  return db::shipped_schema().version;
}

/// The step that a later version might take.
db::Schema with_next(const std::string& sql) {
  return {shipped_version() + 1, shipped_version(), db::shipped_schema().create,
          [sql](const db::Connection& database) { database.execute(sql); }};
}

/// What the program of version 8 left after two sizes of a kernel, whose spec was then edited to exclude the
/// fastest of three configurations. One failure of the past and one death while probing were added. `kernel`:
/// what it is called.
void make_version_8(const std::filesystem::path& path, const std::string& kernel = "scale") {
  std::ifstream in(TUNER_SOURCE_DIR "/tests/db/version_8.sql");
  std::string dump((std::istreambuf_iterator<char>(in)), {});
  const std::string name = "'scale'";
  for (std::size_t at = dump.find(name); at != std::string::npos; at = dump.find(name, at + 1))
    dump.replace(at, name.size(), "'" + kernel + "'");
  REQUIRE(dump.size() > 10'000);
  db_test::meddle(path, dump + "PRAGMA user_version = 8; PRAGMA application_id = 1953853029;");
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
  TEST_CASE("a migration keeps the rows and leaves a copy of what was before") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_shipped_version(path);
    const db::Schema next = with_next("ALTER TABLE runs ADD COLUMN note TEXT;");
    db::open_database(path, {}, next);
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
    const db::Schema broken = with_next("ALTER TABLE runs ADD COLUMN note TEXT; SELECT nonsense;");
    error_of([&] { db::open_database(path, {}, broken); });
    const db::Schema orphaning = with_next("DELETE FROM kernels;");
    CHECK(contains(error_of([&] { db::open_database(path, {}, orphaning); }).what(), "refer to nothing"));
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(ask(path, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'note'") == "0");
    CHECK(ask(path, "SELECT count(*) FROM kernels") == "1");
    // Each try left a copy of its own.
    CHECK(std::filesystem::exists(copy_beside(path)));
    CHECK(std::filesystem::exists(copy_beside(path).string() + ".2"));
  }

  TEST_CASE(
      "a database of version 8 loses nothing, and what its spec excludes stays out wherever it is merged") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_version_8(path);
    std::filesystem::copy_file(path, folder / "source.db");
    const db::Connection opened = db::open_for_reading(path);
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(ask(path, "PRAGMA integrity_check") == "ok");
    CHECK(ask(path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'v8%'") == "0");
    CHECK(std::filesystem::exists(path.string() + ".before-0012"));
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
      CHECK(ask(database, "SELECT sum(trials) FROM tallies") == "6");
      CHECK(ask(database, "SELECT group_concat(DISTINCT configuration) FROM trial WHERE superseded") ==
            "{\"BLOCK_SIZE\":16}");
      CHECK(ask(database, "SELECT group_concat(configuration ->> 'BLOCK_SIZE') FROM best") == "32,32");
    }
    CHECK(ask(path, "SELECT count(*) FROM attempts") == "9");
    // Nothing waits to be decided: the next merge changes no answer.
    db::merge_database(db::open_database(path), folder / "source.db");
    CHECK(ask(path, "SELECT group_concat(configuration ->> 'BLOCK_SIZE') FROM best") == "32,32");
  }

  TEST_CASE("a kernel that no spec may be called like today keeps its results, wherever they go") {
    const TempFolder folder;
    const std::string name = "my scale/\xC3\xA4";
    make_version_8(folder / "old.db", name);
    const db::Connection old = db::open_for_reading(folder / "old.db");
    std::ofstream file(folder / "old.jsonl");
    db::export_database(old, {}, file);
    file.close();
    db::import_file(db::open_database(folder / "imported.db"), folder / "old.jsonl");
    db::merge_database(db::open_database(folder / "merged.db"), folder / "old.db");
    for (const char* database : {"old.db", "imported.db", "merged.db"}) {
      CAPTURE(database);
      const db::Connection connection = db::open_database(folder / database);
      db::BestQuery query;
      query.kernel = name;
      const db::BestAnswers answers = db::best(connection, query);
      REQUIRE(answers.size() == 2);
      for (const db::BestAnswer& answer : answers)
        CHECK(answer.winner.configuration.text() == "BLOCK_SIZE=32");
      db::ForgetQuery forgotten;
      forgotten.kernel = name;
      CHECK(db::forget(connection, forgotten, false).trials == 6);
      CHECK(db::best(connection, query).empty());
    }
  }

  TEST_CASE("a database of version 9 keeps its rows; which bits its trials gave nobody knows") {
    const TempFolder folder;
    {
      db::ResultStore store(folder / "today.db");
      store.begin_run(db_test::sample_run());
      for (const char* name : {"a", "b", "c"}) store.record(db_test::timed_trial(name, 512, 100));
      store.record_final(db_test::sample_final(), {db_test::timed_trial("a", 512, 101)});
    }
    const auto path = folder / "tuner.db";
    db_test::make_before(path, folder / "today.db", 9);
    std::filesystem::copy_file(path, folder / "source.db");
    const auto merged = folder / "merged.db";
    CHECK(db::merge_database(db::open_database(merged), folder / "source.db").trials == 3);
    db::open_for_reading(path);
    CHECK(std::filesystem::exists(path.string() + ".before-0012"));
    for (const auto& database : {path, merged}) {
      CAPTURE(database.string());
      CHECK(ask(database, "PRAGMA user_version") == std::to_string(shipped_version()));
      CHECK(ask(database, "PRAGMA integrity_check") == "ok");
      CHECK(ask(database, "SELECT count(output_bits_outputs) FROM trials") == "0");
      CHECK(ask(database, "SELECT sum(trials) FROM tallies") == "3");
      for (const char* values : {"SELECT group_concat(hex(id) || median_ns || sequence) FROM trials",
                                 "SELECT group_concat(hex(id) || hex(samples_ns)) FROM measurements",
                                 "SELECT group_concat(hex(final) || hex(trial) || ratio) FROM final_entries",
                                 "SELECT group_concat(hex(run) || first || last) FROM final_coverage",
                                 "SELECT group_concat(hex(id) || command_line || measured) FROM runs"})
        CHECK(ask(database, values) == ask(folder / "today.db", values));
    }
  }

  TEST_CASE(
      "a database of version 11 keeps its rows; nobody knows its trials' energy, and no clock was locked") {
    const TempFolder folder;
    {
      db::ResultStore store(folder / "today.db");
      store.begin_run(db_test::sample_run());
      store.record(db_test::timed_trial("a", 512, 100));
      store.record_counters(db_test::key("a"), {{"dram__bytes_read.sum", 4096, "byte"}});
    }
    const auto path = folder / "tuner.db";
    db_test::make_before(path, folder / "today.db", 11);
    CHECK(ask(path, "SELECT count(*) FROM pragma_table_info('trials') WHERE name LIKE 'energy%'") == "0");
    const db::Connection opened = db::open_for_reading(path);
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    CHECK(ask(path, "PRAGMA integrity_check") == "ok");
    CHECK(ask(path, "SELECT count(*) || ' ' || count(energy_mean_j) FROM trials") == "1 0");
    CHECK(ask(path, "SELECT value FROM counters") == "4096.0");
    CHECK(ask(path, "SELECT count(clock_mhz) FROM environments") == "0");
    CHECK(ask(path, "SELECT hex(id) || median_ns FROM trials") ==
          ask(folder / "today.db", "SELECT hex(id) || median_ns FROM trials"));
    CHECK_FALSE(db::find_trial(opened, db_test::key("a"))->outcome.energy);
  }

  TEST_CASE("every value of version 8 has its column in this version") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_version_8(path);
    std::filesystem::copy_file(path, folder / "before.db");
    db::open_database(path);
    // Names in version 8 and now, where they differ; what is unknown was 0 or '' there.
    const std::map<std::string, std::string> tables = {{"classes", "environments"}, {"contests", "cases"}};
    const std::map<std::string, std::string> columns = {
        {"class", "environment"},
        {"contest", "tuning_case"},
        {"idea", "origin"},
        {"blocks_per_sm", "occupancy_blocks_per_multiprocessor"},
        {"warps_per_sm", "occupancy_active_warps_per_multiprocessor"},
        {"occupancy", "occupancy_fraction"},
        {"limited_by", "occupancy_limited_by"},
        {"driver_blocks_per_sm", "driver_blocks_per_multiprocessor"},
        {"verified", "verification_checked"},
        {"error_ratio", "verification_error_ratio"},
        {"error_ulp_scale", "verification_error_ulp_scale"},
        {"wrong_elements", "verification_wrong_elements"},
        {"first_wrong", "verification_first_wrong"},
        {"wrong_buffer", "verification_buffer"},
        {"rule", "verification_rule"},
        {"operations", "workload_operations"},
        {"bytes", "workload_bytes"}};
    const auto now = [](const auto& names, const std::string& name) {
      const auto found = names.find(name);
      return found == names.end() ? name : found->second;
    };
    std::istringstream in(ask(folder / "before.db",
                              "SELECT group_concat(t.name || ' ' || c.name, ' ') FROM sqlite_schema AS t, "
                              "pragma_table_info(t.name) AS c WHERE t.type = 'table'"));
    std::string table;
    std::string column;
    int compared = 0;
    while (in >> table >> column) {
      if (table == "tallies") continue;  // counted anew
      CAPTURE(table);
      CAPTURE(column);
      const auto values = [&](const std::filesystem::path& of, const std::string& from,
                              const std::string& name) {
        return ask(of,
                   fmt::format("SELECT group_concat(v, '|') FROM (SELECT quote(nullif(nullif({0}, ''), 0)) "
                               "AS v FROM {1} ORDER BY 1)",
                               name, from));
      };
      const bool counts_results = column == "sequence" || column == "first" || column == "last";
      const std::string then = counts_results ? column + " + 10000000000000000" : now(columns, column);
      CHECK(values(path, now(tables, table), then) == values(folder / "before.db", table, column));
      ++compared;
    }
    CHECK(compared > 150);
  }

  TEST_CASE("a database older than version 8 is refused, and the error says what reads it") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_version_8(path);
    db_test::meddle(path, "PRAGMA user_version = 7");
    const auto refusal = error_of([&] { db::open_database(path); });
    CHECK(contains(refusal.what(), "its schema is version 7, and this program reads versions 8 to 12"));
    CHECK(contains(refusal.hint(), "tuner import"));
    CHECK(ask(path, "PRAGMA user_version") == "7");
  }

  TEST_CASE("an older schema is brought up to date by who reads it, or else the error names both versions") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    make_shipped_version(path);
    db::OpenOptions reading;
    reading.mode = db::Mode::read_only;
    const db::Schema broken = with_next("SELECT nonsense;");
    const std::string refusal = error_of([&] { db::open_database(path, reading, broken); }).what();
    CHECK(contains(refusal, fmt::format("its schema is version {}", shipped_version())));
    CHECK(contains(refusal, fmt::format("reads version {}", shipped_version() + 1)));
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version()));
    const db::Schema next = with_next("ALTER TABLE runs ADD COLUMN note TEXT;");
    CHECK_NOTHROW(db::open_database(path, reading, next));
    CHECK(ask(path, "PRAGMA user_version") == std::to_string(shipped_version() + 1));
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
  }
}
