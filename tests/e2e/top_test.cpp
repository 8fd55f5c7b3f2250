// `tuner top`: a sweep under way, as another process sees it.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/db/fixture.hpp"
#include "tests/e2e/on_terminal.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/command.hpp"

using namespace std::chrono_literals;
namespace model = tuner::model;
using tuner::test::BackgroundProgram;
using tuner::test::has;
using tuner::test::read_text;
using tuner::test::shown_on_terminal;
using tuner::test::User;

TEST_SUITE("tuner top") {
  namespace {

  std::vector<std::string> sweep(const std::string& budget, const std::string& events) {
    return {"run",       "--device", "cpu",      "--kernel", "naive",    "--sizes", "16,24,32",
            "--measure", "quick",    "--budget", budget,     "--events", events};
  }

  /// `tuner run` in the background.
  struct Running {
    Running(const User& user, std::vector<std::string> words)
        : m_program(with_binary(std::move(words)), user.environment, user.home.path()) {}
    static std::vector<std::string> with_binary(std::vector<std::string> words) {
      words.insert(words.begin(), TUNER_BINARY);
      return words;
    }
    BackgroundProgram m_program;
  };

  /// Waits until the events tell of so many trials; false where that takes too long.
  bool come(const std::string& events, int trials) {
    for (int i = 0; i < 1200; ++i) {
      const std::string text = access(events.c_str(), R_OK) == 0 ? read_text(events) : "";
      int found = 0;
      for (std::size_t at = 0; (at = text.find("\"event\":\"trial\"", at)) != std::string::npos; ++at)
        ++found;
      if (found >= trials) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  }  // namespace

  TEST_CASE("of a sweep that has ended it says what came of each size, in plain lines and as a picture") {
    const User user;
    const std::string events = user.home / "events.jsonl";
    REQUIRE(user.types(sweep("40", events)).exit_code == 0);
    const auto seen = user.types({"top", "--events", events});
    CHECK(seen.exit_code == 0);
    CHECK(seen.err.empty());
    CHECK_FALSE(has(seen.out, "\x1b"));
    for (const char* line : {"\n16: best ", "\n24: best ", "\n32: best ", "\n3/3 sizes · "})
      CHECK(has(seen.out, line));
    const std::string picture = shown_on_terminal({TUNER_BINARY, "top", "--events", events}, 80,
                                                  {{"TERM", "xterm"}, {"HOME", user.home.path()}});
    const std::string last = picture.substr(picture.rfind("3/3 sizes"));
    for (const char* line : {"\n  16 ", "\n  24 ", "\n  32 ", "\n  cpu: "}) CHECK(has(last, line));
    CHECK_FALSE(has(last, "compiles"));
    CHECK_FALSE(has(last, "…"));
    // The same from a pipe.
    const auto piped =
        tuner::test::run_program({"/bin/sh", "-c", "cat events.jsonl | " TUNER_BINARY " top --events -"},
                                 user.environment, user.home.path());
    CHECK(piped.exit_code == 0);
    CHECK(has(piped.out, "\n32: best "));
  }

  TEST_CASE("rates and times are those of the run, however late one looks") {
    const User user;
    const std::string events = user.home / "events.jsonl";
    std::string text =
        R"({"event":"planned","at":"2026-11-25T10:00:00.000000Z","total":100,"known":0,"may_end_early":false})";
    text += '\n';
    for (int i = 1; i <= 20; ++i) {
      text +=
          R"({"event":"trial","at":"2026-11-25T10:00:)" + std::string(i < 10 ? "0" : "") + std::to_string(i) +
          R"(.000000Z","trial":{"kernel":"k","family":"f","sizes":{"N":8},"type":"float","status":"timeout"}})" +
          "\n";
    }
    text += R"({"event":"end","at":"2026-11-25T10:00:20.500000Z"})"
            "\n";
    tuner::test::write_text(events, text);
    const auto seen = user.types({"top", "--events", events});
    REQUIRE_MESSAGE(seen.exit_code == 0, seen.err);
    CHECK(has(seen.out, "20 of 100 tried, 20 failed · 1.0/s · "));
  }

  TEST_CASE("of a shard it counts the shard's trials") {
    User user;
    user.measures_by_default();
    const std::string events = user.home / "events.jsonl";
    const std::string recording = TUNER_SOURCE_DIR "/docs/results/h100-2026-11-23-search/whole.jsonl.gz";
    const auto run =
        user.types({"run", "--device", "replay:" + recording, "--kernel", "shared", "--sizes", "512",
                    "--shard", "2/3", "--ceilings", "off", "--baselines", "off", "--events", events});
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    const std::string text = read_text(events);
    const std::size_t at = text.find("\"total\":");
    REQUIRE(at != std::string::npos);
    const int total = std::stoi(text.substr(at + 8));
    CHECK(total > 0);
    CHECK(total < 40);  // of all shards
    CHECK(has(user.types({"top", "--events", events}).out,
              std::to_string(total) + " of " + std::to_string(total) + " tried"));
  }

  TEST_CASE("a sweep under way is seen in its database, and in its events, until it ends") {
    const User user;
    const std::string events = user.home / "events.jsonl";
    Running running(user, sweep("100000", events));
    REQUIRE(come(events, 1));
    Running by_database(user, {"top"});
    Running by_events(user, {"top", "--events", events});
    REQUIRE(come(events, 10));
    std::this_thread::sleep_for(500ms);  // it looks four times a second
    running.m_program.signal(SIGINT);
    CHECK(running.m_program.wait().exit_code == 130);
    const auto of_database = by_database.m_program.wait();
    CHECK(of_database.exit_code == 0);
    CHECK(has(of_database.out, "tuner run --device cpu --kernel naive"));
    CHECK(has(of_database.out, " tried"));
    const auto of_events = by_events.m_program.wait();
    CHECK(of_events.exit_code == 0);
    CHECK(has(of_events.out, "/3 sizes · "));
    CHECK(has(of_events.out, " left"));
  }

  TEST_CASE("the best in a database is that by the run's objective, which is named") {
    const User user;
    const std::string database = user.home / "results.db";
    db::ResultStore store{database};
    model::RunRecord run = db_test::sample_run();
    run.command_line = "tuner run --objective energy --sizes 512";
    run.state = "running";
    run.host = tuner::util::host_name();
    store.begin_run(run);
    for (const double joules : {0.002, 0.001, 0.003}) {
      model::TrialRecord trial = db_test::timed_trial(std::to_string(joules), 512, 100 / joules);
      trial.run = run.id;
      trial.outcome.energy = model::Energy{};
      trial.outcome.energy->mean_j = joules;
      store.record(trial);
    }
    BackgroundProgram watching({"/bin/sh", "-c", TUNER_BINARY " top --db results.db >&2"}, user.environment,
                               user.home.path());
    for (int i = 0; i < 1200 && !has(watching.err(), "best"); ++i) std::this_thread::sleep_for(50ms);
    store.end_run(run.id, "done");
    const auto seen = watching.wait();
    CHECK(seen.exit_code == 0);
    CHECK_MESSAGE(has(seen.err, "512 · best by energy 1 mJ "), seen.err);
  }

  TEST_CASE("a run that was killed ends the watching, with a warning") {
    const User user;
    const std::string events = user.home / "events.jsonl";
    Running running(user, sweep("100000", events));
    REQUIRE(come(events, 1));
    Running watching(user, {"top", "--events", events});
    Running by_database(user, {"top"});
    std::this_thread::sleep_for(500ms);
    running.m_program.signal(SIGKILL);
    running.m_program.wait();
    const auto seen = watching.m_program.wait();
    CHECK(seen.exit_code == 0);
    CHECK(has(seen.out, "warning: the run has ended without a last event"));
    CHECK(by_database.m_program.wait().exit_code == 0);  // though nothing was written any more
  }

  TEST_CASE("what is nothing to watch is refused with the next step") {
    const User user;
    const auto refused = [&](const std::vector<std::string>& words, int code, const std::string& what,
                             const std::string& next) {
      const auto result = user.types(words);
      CAPTURE(result.err);
      CHECK(result.exit_code == code);
      CHECK(has(result.err, what));
      CHECK(has(result.err, next));
    };
    refused({"top", "--events", "absent.jsonl"}, 2, "absent.jsonl", "`tuner run --events FILE` writes it");
    tuner::test::write_text(user.home / "notes.txt", "hello\n");
    refused({"top", "--events", "notes.txt"}, 2, "notes.txt line 1 is no event", "tuner run --events");
    tuner::test::write_text(user.home / "half.jsonl",
                            "{\"event\":\"more\",\"at\":\"2026-11-25T10:00:00Z\",\"trials\":\"x\"}\n");
    refused({"top", "--events", "half.jsonl"}, 2, "half.jsonl line 1", "tuner run --events");
    REQUIRE(user.types(sweep("3", user.home / "events.jsonl")).exit_code == 0);
    refused({"top"}, 3, "no sweep is under way", "`tuner list runs`");
  }
}
