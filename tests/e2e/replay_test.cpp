#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;

// The sweep behind docs/results/h200-2026-11-21-notes, recorded on a GPU. What is asked of it here does not
// depend on the shipped kernels being those of the recording: a trial's identity contains its source, so `run
// --device replay:` on them would stop finding anything with the next change to a kernel. Replaying as such
// is tested with a spec of its own, in run_cpu_test.cpp.

TEST_SUITE("tuner command line, the recorded sweep") {
  namespace {

  const std::string folder = TUNER_SOURCE_DIR "/docs/results/h200-2026-11-21-notes/";

  /// The document without the line that says when it was made.
  std::string without_date(const std::string& document) {
    const std::size_t from = document.find("Generated at ");
    REQUIRE(from != std::string::npos);
    const std::size_t to = document.find('\n', from);
    return document.substr(0, from) + document.substr(to);
  }

  /// The first place where the two differ, to be read beside each other.
  std::string difference(const std::string& kept, const std::string& made) {
    const auto [left, right] = std::mismatch(kept.begin(), kept.end(), made.begin(), made.end());
    const auto line_at = [](const std::string& text, std::size_t at) {
      const std::size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
      const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
      return text.substr(begin, text.find('\n', begin) - begin);
    };
    return "kept: " + line_at(kept, static_cast<std::size_t>(left - kept.begin())) +
           "\nmade: " + line_at(made, static_cast<std::size_t>(right - made.begin()));
  }

  struct Recording : User {
    Recording() {
      const auto imported = types({"import", folder + "notes.jsonl", "--db", "notes.db"});
      INFO(imported.err);
      REQUIRE(imported.exit_code == 0);
    }
  };

  }  // namespace

  TEST_CASE("best answers for a GPU that is not here, and says which it was") {
    const Recording user;
    const auto shared =
        user.types({"best", "--size", "1024", "--kernel", "shared", "--format", "flags", "--db", "notes.db"});
    INFO(shared.err);
    CHECK(shared.exit_code == 0);
    CHECK(has(shared.out, "-DBLOCK_SIZE=32"));
    CHECK(has(shared.out, "-DPADDING=0"));

    const auto table = user.types({"best", "--size", "1024", "--kernel", "shared", "--db", "notes.db"});
    CHECK(has(table.out, "PARTITION=row BLOCK_SIZE=32 PADDING=0"));
    CHECK(has(table.out, "245.1 µs"));
    CHECK(has(table.out + table.err, "NVIDIA H200"));
  }

  TEST_CASE("a winner that includes launch latency is marked, and the register tile's limits are told") {
    const Recording user;
    CHECK(has(user.types({"best", "--size", "32", "--kernel", "shared", "--db", "notes.db"}).out,
              "1.477 µs †"));
    const auto tile = user.types({"best", "--size", "4096", "--kernel", "register_tile", "--db", "notes.db"});
    CHECK(has(tile.out, "BLOCK_SIZE=64 ELEMENTS_PER_THREAD=32"));
    CHECK(has(tile.out, "registers"));
  }

  TEST_CASE(
      "a final that was recorded tells here too who won, against whom, and at what share of a ceiling") {
    const Recording user;
    const auto best = user.types({"best", "--size", "4096", "--db", "notes.db"});
    INFO(best.out, best.err);
    CHECK(has(best.out, "TILE_M=64 TILE_N=64 TILE_K=32 THREAD_M=8 THREAD_N=4 VECTOR=16"));
    CHECK(has(best.out, "3.971 ms"));
    CHECK_FALSE(has(best.out + best.err, "not re-measured"));
    CHECK(has(best.out + best.err, "arithmetic ceiling"));
  }

  TEST_CASE("a kernel that was not measured as is asked is refused, though others of the recording were") {
    const User user;
    const auto replay = [&](const std::string& measure) {
      return user.types({"run", "--device",
                         "replay:" TUNER_SOURCE_DIR "/docs/results/h100-2026-11-23-search/whole.jsonl.gz",
                         "--kernel", "shared", "--sizes", "512", "--measure", measure});
    };
    const auto quick = replay("quick");
    CHECK(quick.exit_code == 2);
    CHECK(has(quick.err, "has no times of quick-3"));
    CHECK(has(quick.err, "replay them with --measure standard"));
    CHECK(replay("standard").exit_code != 2);
  }

  TEST_CASE("a sweep that tried only what its recording lacks says so") {
    const User user;
    tuner::test::SmallKernel kernel;
    kernel.write(user.home);
    const auto run = [&](const std::string& device, const std::string& sizes) {
      return user.types(
          {"run", "--device", device, "--kernel", "small.toml", "--sizes", sizes, "--db", "t.db"});
    };
    REQUIRE(run("cpu", "100").exit_code == 0);
    REQUIRE(user.types({"export", "-o", "t.jsonl", "--db", "t.db"}).exit_code == 0);
    const auto other = run("replay:t.jsonl", "200");
    CHECK(other.exit_code == 1);
    CHECK(has(other.err, "nothing has a result: what was tried was skipped: not in the recording"));
  }

  TEST_CASE("importing twice adds nothing; exporting gives back what was imported") {
    const Recording user;
    const auto again = user.types({"import", folder + "notes.jsonl", "--db", "notes.db"});
    INFO(again.err);
    CHECK(again.exit_code == 0);
    CHECK(has(again.err, ": 0 runs, 0 trials"));
    REQUIRE(user.types({"export", "-o", "again.jsonl", "--db", "notes.db"}).exit_code == 0);
    REQUIRE(user.types({"import", "again.jsonl", "--db", "other.db"}).exit_code == 0);
    REQUIRE(user.types({"export", "-o", "third.jsonl", "--db", "other.db"}).exit_code == 0);
    CHECK((tuner::test::read_text(user.home / "third.jsonl") ==
           tuner::test::read_text(user.home / "again.jsonl")));
  }

  TEST_CASE("the notes' tables and chart in docs/results are what today's tuner makes of the recording") {
    const Recording user;
    const auto report = user.types({"report", "--layout", "notes", "--db", "notes.db", "-o", "notes.md"});
    INFO(report.err);
    REQUIRE(report.exit_code == 0);
    const std::string kept = without_date(tuner::test::read_text(folder + "notes.md"));
    const std::string made = without_date(tuner::test::read_text(user.home / "notes.md"));
    // Where a layout or the Markdown changes on purpose: the same commands, in docs/results, make the page
    // again.
    CHECK_MESSAGE(kept == made, difference(kept, made));

    int charts = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".svg") continue;
      ++charts;
      const std::string name = entry.path().filename().string();
      CHECK_MESSAGE(has(made, "(" + name + ")"), name, " is kept but no document shows it");
      CHECK(tuner::test::read_text(user.home / name) == tuner::test::read_text(entry.path().string()));
    }
    CHECK(charts == 1);
  }
}
