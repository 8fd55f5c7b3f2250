// What `tuner run --events FILE` leaves in the file.
#include "tuner/cli/event_log.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/db/fixture.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scale_bench.hpp"

using namespace tuner;

TEST_SUITE("tuner::cli event log") {
  TEST_CASE("a file is begun anew, unless the run goes on behind another") {
    const db_test::TempFolder folder;
    const std::string path = folder / "events.jsonl";
    test::Watcher watcher;
    const auto lines_after = [&](bool goes_on) {
      cli::EventLog(path, watcher, goes_on).notice("a sentence");
      return std::ranges::count(test::read_text(path), '\n');
    };
    CHECK(lines_after(false) == 1);
    CHECK(lines_after(true) == 2);
    CHECK(lines_after(false) == 1);
    CHECK(watcher.notices.size() == 3);
  }
}
