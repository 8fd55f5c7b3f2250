// What a sweep of many sizes and several kernels says at its end, and what one says that has nothing to do.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "db/database.hpp"
#include "tests/e2e/many.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner command line, the end of a run") {
  namespace {

  /// Someone with four kernels of one family, in a terminal of 80 columns.
  struct Sweeper : User {
    Sweeper() {
      environment["COLUMNS"] = "80";
      tuner::test::write_kernels(home / "kernels", 4);
    }
    ProgramResult sweeps(const std::vector<std::string>& more = {}) const {
      std::vector<std::string> command = {"run",     "--kernel",      "kernels",   "--device", "cpu",
                                          "--sizes", "100..2000:100", "--measure", "quick",    "--ceilings",
                                          "off",     "--strategy",    "random"};
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
  };

  std::ptrdiff_t lines(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  }

  /// Whether it stands there as a word.
  bool names(const std::string& text, const std::string& word) {
    for (const char before : {' ', '\n'})
      for (const char behind : {' ', ',', ':', '\n'})
        if (has(text, before + word + behind)) return true;
    return false;
  }

  }  // namespace

  TEST_CASE("every size that was asked for appears at the end, whatever became of it") {
    const Sweeper user;
    const auto cut = user.sweeps({"--budget", "12"});
    INFO(cut.out, cut.err);
    CHECK(cut.exit_code == 0);
    for (int size = 100; size <= 2000; size += 100)
      CHECK_MESSAGE(names("\n" + cut.out, std::to_string(size)), size);
    CHECK(
        has(cut.out, "\nscale 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000: not started: the budget is\n"));
    CHECK(has(cut.err, "to go on:\n  tuner run"));
    Sweeper set_up;
    set_up.environment["TUNER_L2"] = "cold";
    set_up.environment["TUNER_DB"] = "my results.db";
    CHECK(has(set_up.sweeps({"--budget", "1"}).err,
              "to go on:\n  TUNER_DB='my results.db' TUNER_L2=cold tuner run"));

    const std::string faulty = std::string(TUNER_SOURCE_DIR) + "/tests/faulty/syntax_error.toml";
    const auto failed = user.types({"run", "--kernel", faulty, "--device", "cpu", "--sizes", "100,200"});
    INFO(failed.out, failed.err);
    CHECK(failed.exit_code == 1);
    CHECK(has(words_of(failed.out), "100, 200: no usable trial among "));
  }

  TEST_CASE("a budget that is spent before the first trial ends without a result, and says so") {
    Sweeper user;
    // No compiler is done before the budget is spent.
    tuner::test::write_text(user.home / "slow", "#!/bin/sh\nsleep 3\nexec c++ \"$@\"\n");
    std::filesystem::permissions(user.home / "slow", std::filesystem::perms::owner_all);
    user.environment["TUNER_HOST_CXX"] = user.home / "slow";
    const auto run = user.types({"run", "--kernel", "naive", "--device", "cpu", "--sizes", "64", "--budget",
                                 "1s", "--report", "r.md", "--events", "events.jsonl"});
    INFO(run.out, run.err);
    CHECK(has(run.err, "nothing has a result: no trial that may be used was measured before the end;"));
    CHECK(has(run.err, "that takes a larger --budget"));
    CHECK(has(run.out, "64: not started: the budget is spent"));
    CHECK(has(run.err, "no report: nothing has a result"));
    CHECK(has(run.err, "the budget is spent; to go on:"));
    CHECK(has(tuner::test::read_text(user.home / "events.jsonl"), "\"end\""));
  }

  TEST_CASE("a budget is shared among the sizes, so that each has an answer") {
    const Sweeper user;
    for (const char* budget : {"40", "20s"}) {
      CAPTURE(budget);
      const auto cut = user.sweeps({"--budget", budget, "--db", std::string(budget) + ".db"});
      INFO(cut.out, cut.err);
      CHECK(cut.exit_code == 0);
      CHECK_FALSE(has(cut.out, "not started"));
      const auto best = user.types({"best", "--format", "json", "--db", std::string(budget) + ".db"});
      for (int size = 100; size <= 2000; size += 100)
        CHECK_MESSAGE(has(best.out, fmt::format("\"N\": {}", size)), size);
    }
  }

  TEST_CASE("the table names the kernel, and those that another beats are a line each") {
    const Sweeper user;
    const auto whole = user.sweeps();
    INFO(whole.out, whole.err);
    REQUIRE(whole.exit_code == 0);
    CHECK((has(whole.out, "scale, kernel scale_0: ") || has(whole.out, "  kernel ")));
    CHECK(has(whole.out, "searched: whole at all 20 sizes\n"));
    const std::size_t others = whole.out.find("the other kernels that were tuned:\n");
    REQUIRE(others != std::string::npos);
    const std::string behind = whole.out.substr(others);
    for (const char* kernel : {"\nscale_1 ", "\nscale_2 ", "\nscale_3 "}) CHECK(has(behind, kernel));
    CHECK(has(words_of(behind), "of 20 sizes"));
    CHECK(lines(behind) < 12);
    CHECK(has(whole.err, "/20 sizes · "));
    CHECK(has(whole.err, " of 480 tried"));

    const auto again = user.sweeps();
    INFO(again.out, again.err);
    CHECK(again.exit_code == 0);
    CHECK(has(again.out, "nothing new; `tuner best` shows the best of these 20 sizes"));
    CHECK(lines(again.out) + lines(again.err) < 12);
  }

  TEST_CASE("of very many other kernels those that come closest are shown, and how many are left out") {
    const User user;
    test::write_kernels(user.home / "kernels", 60);
    const auto run = user.types({"run", "--kernel", "kernels", "--device", "cpu", "--sizes", "1000",
                                 "--budget", "2", "--ceilings", "off", "--seed", "1"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(words_of(run.out), "and 20 more, which come less close or have no time"));
    CHECK(lines(run.out) < 70);
  }

  TEST_CASE("the other kernels' times are by the best one's in turn, at whatever clock its final was") {
    Sweeper user;
    user.environment["TUNER_DB"] = user.home / "tuner.db";
    const auto sweeps = [&] {
      return user.types(
          {"run", "--kernel", "kernels", "--device", "cpu", "--sizes", "200000", "--ceilings", "off"});
    };
    REQUIRE(sweeps().exit_code == 0);
    const db::Connection connection = db::open_database(user.home / "tuner.db");
    connection.execute(
        "UPDATE trials SET median_ns = 9 * median_ns, low_ns = 9 * low_ns, high_ns = 9 * high_ns "
        "WHERE id = (SELECT trial FROM winner WHERE kernel IS NULL)");
    connection.execute(
        "UPDATE measurements SET (median_ns, low_ns, high_ns) = (SELECT median_ns, low_ns, high_ns "
        "FROM trials WHERE measurement = measurements.id) WHERE id IN (SELECT measurement FROM trials)");
    const auto again = sweeps();
    INFO(again.out, again.err);
    const std::size_t others = again.out.find("the other kernels that were tuned:\n");
    REQUIRE(others != std::string::npos);
    const std::string said = words_of(again.out.substr(others));
    CHECK(has(said, "kernel not chosen at"));
    CHECK_FALSE(has(said, "× to "));  // of one size
    CHECK(has(said, "scale_3 1 of 1 size"));
    CHECK_FALSE(has(said, " ~0."));
    CHECK_FALSE(has(said, " 0."));
    CHECK_FALSE(has(said, "below 1×"));
  }
}
