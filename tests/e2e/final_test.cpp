#include <doctest/doctest.h>

#include <filesystem>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using db_test::key;
using db_test::timed_trial;
using tuner::test::has;
using tuner::test::User;

TEST_SUITE("tuner command line, finals") {
  namespace {

  /// Someone whose database has a final in which b was chosen, tied with a, the fastest.
  struct Tuned : User {
    Tuned() {
      environment["TUNER_DB"] = home.path() + "/tuner.db";
      db::ResultStore store(environment["TUNER_DB"]);
      store.begin_run(db_test::sample_run());
      store.record_final(db_test::sample_final(), {timed_trial("a", 512, 1010), timed_trial("b", 512, 1012),
                                                   timed_trial("c", 512, 1050)});
      store.record_ceiling(
          {"NVIDIA H200", "arithmetic", tuner::model::ElementType::float32, 1e15, "GFLOP/s", {}, ""});
    }
  };

  /// Says that the kernel of those trials is another now.
  void edit(const User& user) {
    db::ResultStore store(user.environment.at("TUNER_DB"));
    const tuner::model::KernelDeclaration now{
        "matmul",      "register_tile",    tuner::model::Role::competitor,
        key("edited"), key("edited spec"), "edited.toml",
    };
    std::vector<tuner::model::Judgement> judgements;
    for (const auto& trial : store.undecided(now))
      judgements.push_back({trial.key, trial.definition == now.definition});
    store.declare(now, judgements);
  }

  }  // namespace

  TEST_CASE("best, show and report agree on who was chosen, and say what it cannot be told from") {
    const Tuned user;
    const auto best = user.types({"best", "--size", "512"});
    CHECK(best.exit_code == 0);
    CHECK(has(best.out, "NAME=b"));
    CHECK(has(best.out, "1.002 (0.999–1.006)"));
    CHECK(has(best.err, "cannot be told from 1 other; chosen by the rule"));
    const auto flags = user.types({"best", "--size", "512", "--format", "flags"});
    CHECK_MESSAGE(has(flags.out, "NAME_b"), flags.out, flags.err);
    const auto show = user.types({"show", key("b").hex()});
    CHECK(show.exit_code == 0);
    CHECK(has(show.out,
              "1.002 (0.999–1.006) of the fastest's time, tied with 1; 3 finalists, 60 rounds and 3 at"));
    CHECK(has(show.out, "\n  chosen "));
    CHECK(has(show.out, "2 more at a lowered clock, SM clock 1980 MHz, 61 °C, 512 W"));
    CHECK(has(show.out, "% arithmetic (1000 Top/s)"));
    CHECK_FALSE(has(user.types({"show", key("a").hex()}).out, "chosen"));
    const auto report = user.types({"report"});
    CHECK(has(report.out, "Measured again at 1 of 1 size."));
    CHECK(has(report.out, "tied with"));
  }

  TEST_CASE("after an edit best and report pass over what the spec no longer describes, and show says so") {
    const Tuned user;
    edit(user);
    CHECK(user.types({"best", "--size", "512"}).exit_code == 3);
    const auto none = user.types({"report"});
    CHECK(none.exit_code == 3);
    CHECK(has(none.err, "all 3 trials that match are of specs that have changed since"));
    {
      db::ResultStore store(user.environment.at("TUNER_DB"));
      auto trial = timed_trial("new", 512, 2000);
      trial.definition = key("edited");
      store.record(trial);
    }
    CHECK(has(user.types({"best", "--size", "512"}).out, "NAME=new"));
    const auto report = user.types({"report"});
    CHECK(has(report.out, "Left out: 3 trials that today's specs do not describe"));
    CHECK(has(report.out, "NAME=new"));
    CHECK_FALSE(has(report.out, "NAME=b"));
    CHECK(has(user.types({"show", key("b").hex()}).out, "not what its kernel's spec describes today"));
    CHECK_FALSE(has(user.types({"show", key("new").hex()}).out, "describes today"));
  }

  TEST_CASE("an exported final is imported elsewhere and gives the same answer") {
    Tuned user;
    const std::string file = user.home.path() + "/all.jsonl";
    CHECK(user.types({"export", "-o", file}).exit_code == 0);
    const auto here = user.types({"best", "--size", "512"});
    user.environment["TUNER_DB"] = user.home.path() + "/other.db";
    CHECK(user.types({"import", file}).exit_code == 0);
    CHECK(user.types({"best", "--size", "512"}).out == here.out);
  }

  TEST_CASE("recordings made before there were finals still import, and what they say is marked") {
    User user;
    user.environment["TUNER_DB"] = user.home.path() + "/tuner.db";
    // Three trials of a sweep on an H200, exported by the tuner as it was then.
    CHECK(user.types({"import", TUNER_SOURCE_DIR "/tests/e2e/before_finals.jsonl"}).exit_code == 0);
    const auto best = user.types({"best", "--size", "1024"});
    CHECK(has(best.out, "register_tile_2d"));
    CHECK(has(best.out, "* not re-measured"));
  }
}
