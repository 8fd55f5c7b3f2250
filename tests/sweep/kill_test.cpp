#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <random>
#include <thread>

#include "db/database.hpp"
#include "tests/support/orphans.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scripted_sweep.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using namespace std::chrono_literals;

namespace {

constexpr int kills = 100;
using Results = std::map<model::Digest, test::ScriptedResult>;

/// Kernels that nap, so that there is a sweep to kill, are good at once, and die in several ways.
class Tuning {
 public:
  Tuning() {
    test::write_scripted_spec(m_folder / "specs", "nap", 120);
    for (const char* entry : {"good", "wrong_result"})
      test::write_scripted_spec(m_folder / "specs", entry, 30);
    for (const char* entry : {"crash", "exit", "garbage", "half_frame", "illegal_address"})
      test::write_scripted_spec(m_folder / "specs", entry, 4);
  }

  std::string database(const std::string& name) const { return m_folder / (name + ".db"); }

  /// `tuner run` with the scripted device; binaries are shared by no two databases.
  test::BackgroundProgram start(const std::string& name, std::uint64_t seed) const {
    return test::BackgroundProgram({TUNER_SCRIPTED_TUNER, database(name), m_folder / "specs",
                                    m_folder / (name + ".cache"), std::to_string(seed)},
                                   {}, m_folder.path());
  }

  /// What is committed; nothing where the tuner was killed before its database was made. How a quarantine is
  /// told depends on when the tuner learnt of the deaths.
  Results results(const std::string& name) const {
    try {
      Results results = test::results_in(database(name));
      for (auto& [key, result] : results) {
        if (result.status == "quarantined") result.detail.clear();
      }
      return results;
    } catch (const model::Error&) {
      return {};
    }
  }

 private:
  test::TemporaryFolder m_folder;
};

/// A database that was resumed until nothing was left, and how often it was killed on the way.
struct Survivor {
  std::string name;
  int kills = 0;
  Results results;
};

void check_sound(const std::string& database) {
  const db::Connection connection = db::open_for_reading(database);
  CHECK(connection.text("PRAGMA integrity_check") == "ok");
  CHECK(connection.text("SELECT coalesce(max(state), 'none') FROM runs WHERE ended_at IS NOT NULL") ==
        "done");
  // One measurement a trial and one more for each final it was in, and one launch that came to its end.
  CHECK(connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM measurements AS m GROUP BY trial HAVING count(*) > "
            "1 + (SELECT count(*) FROM final_entries AS e WHERE e.trial = m.trial))") == 0);
  CHECK(connection.integer("SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 'ok' GROUP BY trial "
                           "HAVING count(*) > 1)") == 0);
  CHECK(connection.integer("SELECT count(*) FROM attempts WHERE closed_at IS NULL") == 0);
}

/// Everything committed before is still there and as it was, but for deaths, which a later run tries again.
void check_kept(const Results& before, const Results& after) {
  std::size_t kept = 0;
  for (const auto& [key, result] : before) {
    const auto found = after.find(key);
    const bool died = result.status == "crashed" || result.status == "timeout";
    kept += found != after.end() && (died || found->second == result) ? 1 : 0;
  }
  CHECK(kept == before.size());
}

/// Runs a sweep again until there is nothing left to do: deaths are tried once more.
void finish(const Tuning& tuning, const std::string& name, std::uint64_t seed) {
  for (int run = 0; run < 3; ++run) {
    test::BackgroundProgram program = tuning.start(name, seed);
    const test::ProgramResult ended = program.wait();
    INFO(ended.err);
    REQUIRE(ended.exit_code == 0);
    if (ended.out == "0\n") return;
  }
  FAIL("a third run still found something to do");
}

/// Resumes a sweep until it is over or it was killed `most` times; then lets it end.
Survivor sweep_under_fire(const Tuning& tuning, const std::string& name, int most,
                          std::chrono::microseconds longest, std::mt19937_64& random) {
  Survivor survivor{name, 0, {}};
  std::uniform_int_distribution<std::int64_t> moment(0, longest.count());
  while (survivor.kills < most) {
    test::BackgroundProgram program = tuning.start(name, random());
    std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
    program.signal(SIGKILL);
    const test::ProgramResult ended = program.wait();
    INFO(ended.err);
    const Results now = tuning.results(name);
    check_kept(survivor.results, now);
    survivor.results = now;
    if (ended.exit_code == 0 && ended.out == "0\n") return survivor;
    if (ended.exit_code == 0) continue;
    REQUIRE(ended.exit_code == 128 + SIGKILL);
    ++survivor.kills;
  }
  finish(tuning, name, random());
  const Results now = tuning.results(name);
  check_kept(survivor.results, now);
  survivor.results = now;
  return survivor;
}

}  // namespace

TEST_SUITE("tuner::sweep killed") {
  TEST_CASE("a tuner killed at a hundred random moments ends with what an undisturbed one has") {
    test::adopt_orphans();
    const Tuning tuning;
    finish(tuning, "undisturbed", 1);
    const Results expected = tuning.results("undisturbed");
    REQUIRE(expected.size() == 120 + 2 * 30 + 5 * 4);
    check_sound(tuning.database("undisturbed"));

    // How long a tuner takes that finds nothing to do: kills fall before, in and after its preparations.
    const auto begin = std::chrono::steady_clock::now();
    test::BackgroundProgram again = tuning.start("undisturbed", 2);
    CHECK(again.wait().out == "0\n");
    const auto idle =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);

    std::mt19937_64 random(20250717);
    int killed = 0;
    int sweeps = 0;
    while (killed < kills) {
      const Survivor survivor = sweep_under_fire(tuning, "killed-" + std::to_string(sweeps++), kills - killed,
                                                 2 * idle + 20ms, random);
      killed += survivor.kills;
      CAPTURE(survivor.name);
      CAPTURE(survivor.kills);
      CHECK(survivor.results == expected);
      check_sound(tuning.database(survivor.name));
    }
    MESSAGE(killed, " kills over ", sweeps, " sweeps, each at a moment up to ", (2 * idle + 20ms).count(),
            " us after the start");
    CHECK(test::every_child_ends());
  }
}
