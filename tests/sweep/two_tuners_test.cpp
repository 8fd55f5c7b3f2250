#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "db/database.hpp"
#include "tests/support/fuzz.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scripted_sweep.hpp"

using namespace tuner;
using namespace std::chrono_literals;

namespace {

constexpr int configurations = 150;

struct Tuning {
  explicit Tuning(int count = configurations) { test::write_scripted_spec(folder / "specs", "nap", count); }

  test::BackgroundProgram start(const std::string& model, const std::string& uuid,
                                std::uint64_t seed = 1) const {
    return test::BackgroundProgram({TUNER_SCRIPTED_TUNER, database, folder / "specs", folder / "cache",
                                    std::to_string(seed), model, uuid},
                                   {}, folder.path());
  }
  std::int64_t count(const std::string& sql) const {
    return db::open_for_reading(database).integer("SELECT count(*) FROM " + sql);
  }

  test::TemporaryFolder folder;
  std::string database = folder / "shared.db";
};

/// Both measured while the other did: neither had ended when the other began.
void check_overlap(const Tuning& tuning) {
  CHECK(tuning.count("runs AS a JOIN runs AS b ON a.id < b.id "
                     "WHERE a.started_at < b.ended_at AND b.started_at < a.ended_at") == 1);
}

}  // namespace

TEST_SUITE("tuner::sweep several tuners") {
  TEST_CASE("tuners of two devices share a database at the same time and lose nothing") {
    const Tuning tuning;
    test::BackgroundProgram first = tuning.start("Scripted GPU A", "GPU-a");
    test::BackgroundProgram second = tuning.start("Scripted GPU B", "GPU-b");
    for (test::BackgroundProgram* program : {&first, &second}) {
      const test::ProgramResult ended = program->wait();
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      CHECK(ended.out == fmt::format("{}\n", configurations));
    }
    CHECK(tuning.count("trials WHERE status = 'ok'") == 2 * configurations);
    CHECK(tuning.count("measurements") == 2 * configurations + tuning.count("final_entries"));
    CHECK(tuning.count("runs WHERE state = 'done'") == 2);
    CHECK(tuning.count("attempts WHERE outcome <> 'ok' OR outcome IS NULL") == 0);
    CHECK(db::open_for_reading(tuning.database).text("PRAGMA integrity_check") == "ok");
    check_overlap(tuning);
  }

  TEST_CASE("two devices of one model compete in one class, and both tuners' measurements are kept") {
    const Tuning tuning;
    test::BackgroundProgram first = tuning.start("Scripted GPU", "GPU-a");
    test::BackgroundProgram second = tuning.start("Scripted GPU", "GPU-b");
    std::int64_t measured = 0;
    for (test::BackgroundProgram* program : {&first, &second}) {
      const test::ProgramResult ended = program->wait();
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      measured += std::stoll(ended.out);
    }
    CHECK(measured >= configurations);
    CHECK(tuning.count("trials WHERE status = 'ok'") == configurations);
    CHECK(tuning.count("measurements") == measured + tuning.count("final_entries"));
  }

  TEST_CASE(
      "however two tuners of a database come between each other, nothing is lost and nothing is doubled") {
    test::fuzz([](unsigned seed) {
      std::mt19937 random(seed);
      const int count = 20 + static_cast<int>(random() % 20);
      const Tuning tuning(count);
      const bool one_environment = random() % 2 == 0;
      const std::string second_model = one_environment ? "Scripted GPU A" : "Scripted GPU B";
      int starts = 0;
      int killed = 0;
      // Both are started several times, at any moment; some are killed at any other.
      for (int round = 0; round < 3; ++round) {
        test::BackgroundProgram first = tuning.start("Scripted GPU A", "GPU-a", random());
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
        test::BackgroundProgram second = tuning.start(second_model, "GPU-b", random());
        for (test::BackgroundProgram* program : {&first, &second}) {
          ++starts;
          const bool is_killed = round < 2 && random() % 2 == 0;
          if (is_killed) {
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 120));
            program->signal(SIGKILL);
            ++killed;
          }
          const test::ProgramResult ended = program->wait();
          if (!is_killed) CHECK_MESSAGE(ended.exit_code == 0, ended.err);
        }
      }
      CAPTURE(one_environment);
      CAPTURE(killed);
      const std::int64_t cases = one_environment ? 1 : 2;
      CHECK(tuning.count("trials WHERE status = 'ok'") == cases * count);
      CHECK(tuning.count("trials") == cases * count);
      CHECK(tuning.count("(SELECT DISTINCT tuning_case, configuration FROM trials)") == cases * count);
      CHECK(tuning.count("winner WHERE kernel IS NULL") == cases);
      CHECK(tuning.count("runs") <= starts);
      CHECK(tuning.count("runs") >= starts - killed);
      CHECK(db::open_for_reading(tuning.database).text("PRAGMA integrity_check") == "ok");
      CHECK(tuning.count("pragma_foreign_key_check") == 0);
      // A tuner of each that comes later has nothing to do.
      for (const auto& [model, uuid] :
           {std::pair("Scripted GPU A", "GPU-a"), std::pair(second_model.c_str(), "GPU-b")})
        CHECK(tuning.start(model, uuid).wait().out == "0\n");
    });
  }

  TEST_CASE("a second tuner of the same device is refused, with the first one's process, and harms nothing") {
    const Tuning tuning;
    test::BackgroundProgram first = tuning.start("Scripted GPU", "GPU-a");
    test::ProgramResult refused;
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (refused.exit_code != 1 && std::chrono::steady_clock::now() < deadline) {
      if (std::filesystem::exists(tuning.database)) {
        test::BackgroundProgram second = tuning.start("Scripted GPU", "GPU-a");
        refused = second.wait();
      }
    }
    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.err.find("in use by another tuner, process ") != std::string::npos, refused.err);
    CHECK(first.wait().exit_code == 0);
    CHECK(tuning.count("trials") == configurations);
    CHECK(tuning.count("measurements") == configurations + tuning.count("final_entries"));
  }
}
