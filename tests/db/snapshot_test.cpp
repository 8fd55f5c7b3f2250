#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"

using namespace tuner;
using db_test::ask;
using db_test::TempFolder;

TEST_SUITE("db") {
  TEST_CASE("a snapshot is one moment of a database that is being written, in one file") {
    const TempFolder folder(db_test::memory_folder());
    std::atomic<int> written{0};
    db::ResultStore made(folder / "tuner.db");
    made.begin_run(db_test::sample_run());
    std::jthread writer([&](const std::stop_token& stop) {
      db::ResultStore store(folder / "tuner.db");
      while (!stop.stop_requested()) {
        store.record(db_test::timed_trial(fmt::format("{}", written.load()), 512, 100));
        ++written;
      }
    });
    {
      const db::Connection source = db::open_for_reading(folder / "tuner.db");
      for (int i = 0; i < 20; ++i) {
        const auto copy = folder / fmt::format("{}.db", i);
        const int before = written;
        db::snapshot(source, copy);
        const int after = written + 1;
        CHECK_FALSE(std::filesystem::exists(copy.string() + "-wal"));
        const int trials = std::stoi(ask(copy, "SELECT count(*) FROM trials"));
        CHECK(before <= trials);
        CHECK(trials <= after);
        CHECK(ask(copy, "PRAGMA integrity_check") == "ok");
        CHECK(ask(copy, "PRAGMA journal_mode") == "delete");
      }
      CHECK_THROWS_AS(db::snapshot(source, folder / "0.db"), model::Error);
    }
    writer.request_stop();
    writer.join();
    CHECK(written > 20);
  }
}
