#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include "tests/e2e/large_recording.hpp"
#include "tests/e2e/published.hpp"
#include "tests/e2e/user.hpp"

using namespace tuner;
using test::BackgroundProgram;
using test::has;
using test::ProgramResult;
using test::trials_of;
using test::User;
namespace fs = std::filesystem;

TEST_SUITE("tuner command line, shards") {
  namespace {

  std::vector<std::string> replay_command(std::vector<std::string> more) {
    std::vector<std::string> command = {"run", "--device", "replay:recording.json", "--strategy", "random"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  /// Someone who runs shards of one recording.
  struct Cluster : User {
    explicit Cluster(int side) { test::write_large_recording(home / "recording.json", side); }

    std::unique_ptr<BackgroundProgram> begins(const std::vector<std::string>& more) const {
      std::vector<std::string> command = replay_command(more);
      command.insert(command.begin(), TUNER_BINARY);
      return std::make_unique<BackgroundProgram>(command, environment, home.path());
    }
    ProgramResult runs(const std::vector<std::string>& more) const { return types(replay_command(more)); }
    void make_folder(const std::string& name) const { fs::create_directory(home / name); }
    void remove_database(const std::string& name) const {
      for (const char* end : {"", "-wal", "-shm"}) fs::remove(home / name + end);
    }
  };

  unsigned seed_of_rounds() {
    const char* given = std::getenv("TUNER_TEST_SEED");
    return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                            : std::random_device()();
  }

  }  // namespace

  TEST_CASE("100 rounds of kills, ends and new beginnings, on this node or another, lose nothing published") {
    const Cluster cluster(40);
    cluster.make_folder("shared");
    const std::string published = cluster.home / "shared/1.db";
    const unsigned seed = seed_of_rounds();
    MESSAGE("TUNER_TEST_SEED=", seed);
    std::mt19937 random(seed);
    const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
    // Each in an order of its own: two that are begun at once do not measure the same.
    const auto shard = [&](const std::string& database) {
      return cluster.begins({"--shard", "1/2", "--publish", "shared/1.db", "--publish-every-s", "0.05",
                             "--seed", std::to_string(random() % 1000), "--db", database});
    };
    std::set<std::string> safe;
    int unfinished = 0;
    for (int round = 0; round < 100; ++round) {
      CAPTURE(round);
      if (chance(50)) cluster.remove_database("local.db");
      const auto program = shard("local.db");
      const bool twice = chance(25);  // the same part, begun on two nodes
      const auto other = twice ? shard("other.db") : nullptr;
      std::this_thread::sleep_for(std::chrono::milliseconds((twice ? 100 : 10) + random() % 140));
      const std::set<std::string> meanwhile = trials_of(published);
      const bool killed = chance(50);
      program->signal(killed ? SIGKILL : SIGTERM);
      const ProgramResult ended = program->wait();
      if (other) {
        other->signal(chance(50) ? SIGKILL : SIGTERM);
        other->wait();
        cluster.remove_database("other.db");
      }
      const std::set<std::string> now = trials_of(published);
      CHECK(std::includes(now.begin(), now.end(), safe.begin(), safe.end()));
      CHECK(std::includes(now.begin(), now.end(), meanwhile.begin(), meanwhile.end()));
      if (!killed && has(ended.err, "published: ")) {
        const std::set<std::string> local = trials_of(cluster.home / "local.db");
        CHECK(std::includes(now.begin(), now.end(), local.begin(), local.end()));
      }
      if (ended.exit_code != 0) ++unfinished;
      safe = now;
    }
    CHECK(unfinished >= 50);

    const auto last = cluster.runs({"--shard", "1/2", "--publish", "shared/1.db", "--db", "local.db"});
    INFO(last.err);
    REQUIRE(last.exit_code == 0);
    REQUIRE(cluster.runs({"--shard", "2/2", "--publish", "shared/2.db", "--db", "2.db"}).exit_code == 0);
    CHECK(has(cluster.types({"status", "shared"}).out, "2 done"));
    REQUIRE(cluster.types({"merge", "shared/1.db", "shared/2.db", "--db", "all.db"}).exit_code == 0);
    const auto finals = cluster.runs({"--db", "all.db"});
    CHECK(has(finals.err, "1600 trials, all of them known already"));
    const auto whole = cluster.runs({"--db", "whole.db"});
    REQUIRE(whole.exit_code == 0);
    CHECK(trials_of(cluster.home / "all.db") == trials_of(cluster.home / "whole.db"));
    const std::vector<std::string> best = {"best", "--size", "4096x512", "--format", "flags", "--db"};
    const auto best_in = [&](const char* database) {
      std::vector<std::string> command = best;
      command.emplace_back(database);
      return cluster.types(command).out;
    };
    CHECK(has(best_in("all.db"), "-Dblock_size_x=17"));
    CHECK(best_in("all.db") == best_in("whole.db"));
  }

  TEST_CASE("a folder that goes away does not end a run; what is not published is told, with where it is") {
    const Cluster cluster(8);
    cluster.make_folder("shared");
    fs::permissions(cluster.home.path(), fs::perms::owner_all);
    const auto gone = cluster.runs({"--publish", "nowhere/1.db", "--db", "local.db"});
    CHECK(gone.exit_code == 1);
    CHECK(has(gone.err, "nowhere"));
    CHECK_FALSE(has(gone.err, "64 trials"));

    const auto program =
        cluster.begins({"--publish", "shared/1.db", "--publish-every-s", "0.05", "--db", "local.db"});
    while (!fs::exists(cluster.home / "shared/1.db.lock"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fs::rename(cluster.home / "shared", cluster.home / "moved");
    const auto ended = program->wait();
    INFO(ended.err);
    CHECK(ended.exit_code == 1);
    CHECK(has(ended.out, "block_size_x=8"));
    CHECK(has(ended.err, "not everything is published"));
    CHECK(has(ended.err, cluster.home / "local.db"));
    CHECK(trials_of(cluster.home / "local.db").size() == 64);

    fs::rename(cluster.home / "moved", cluster.home / "shared");
    const auto again = cluster.runs({"--publish", "shared/1.db", "--db", "local.db"});
    CHECK(again.exit_code == 0);
    CHECK(trials_of(cluster.home / "shared/1.db").size() == 64);
  }

  TEST_CASE("a file of somebody else's is not replaced, and nothing is run") {
    const Cluster cluster(4);
    test::write_text(cluster.home / "notes.txt", std::string(3000, 'x'));
    const auto ended = cluster.runs({"--publish", "notes.txt", "--db", "local.db"});
    CHECK(ended.exit_code == 1);
    CHECK(has(ended.err, "notes.txt: the file that is there is no database"));
    CHECK(test::read_text(cluster.home / "notes.txt") == std::string(3000, 'x'));
    CHECK(trials_of(cluster.home / "local.db").empty());
  }

  TEST_CASE("a SIGTERM that comes more than once, as batch systems send it, is one") {
    const Cluster cluster(40);
    const auto program = cluster.begins({"--publish", "1.db", "--db", "local.db"});
    while (trials_of(cluster.home / "local.db").size() < 5)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int i = 0; i < 20; ++i) {  // apart, since signals of one kind that come together are one anyway
      program->signal(SIGTERM);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const auto ended = program->wait();
    INFO(ended.err);
    CHECK(ended.exit_code == 143);
    CHECK(has(ended.err, "published: 1.db"));
    CHECK(trials_of(cluster.home / "1.db") == trials_of(cluster.home / "local.db"));
  }
}
