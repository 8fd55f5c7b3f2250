#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/command.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, a whole session on the CPU") {
  namespace {

  /// Two blocks, of which the larger wastes time, so that luck has no part in who wins; and each once more,
  /// writing one element less than it should.
  void write_counting(const User& user) {
    tuner::test::SmallKernel{.name = "count",
                             .keys = "default = { BLOCK = 32 }\n",
                             .parameters = "BLOCK = [32, 64]\nLOSE_ONE = [0, 1]",
                             .block = "BLOCK",
                             .elements = "N - LOSE_ONE",
                             .loops = "BLOCK == 64 ? 4000 : 0"}
        .write(user.home);
  }

  }  // namespace

  TEST_CASE("run verifies and remembers; the same again does nothing; best, report, list and show answer") {
    const User user;
    write_counting(user);
    const std::vector<std::string> run = {"run",     "--kernel", "count.toml", "--device", "cpu",
                                          "--sizes", "100,200",  "--report",   "report.md"};
    const auto first = user.types(run);
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(has(first.err, "8 trials"));
    CHECK(has(first.err, "4 trials failed"));
    CHECK(has(first.out, "LOSE_ONE=0"));
    CHECK_FALSE(has(first.out, "LOSE_ONE=1"));
    CHECK(has(tuner::test::read_text(user.home / "report.md"), "wrong_result"));

    const auto second = user.types(run);
    CHECK(second.exit_code == 0);
    CHECK(has(second.err, "8 trials, all of them known already"));
    CHECK_FALSE(has(second.err, "once more, in turn"));
    CHECK_FALSE(has(second.err, "held: what was known"));
    CHECK(second.out == first.out);

    const auto best = user.types({"best", "--size", "100", "--format", "flags"});
    CHECK(best.exit_code == 0);
    CHECK(has(best.out, "-DLOSE_ONE=0"));
    const auto nearest = user.types({"best", "--size", "101"});
    CHECK(nearest.exit_code == 0);
    CHECK(has(nearest.err, "never measured"));
    CHECK(has(user.types({"best", "--size", "100", "--format", "json"}).out, "\"schema_version\": 2"));

    const auto failures = user.types({"list", "failures"});
    REQUIRE(failures.exit_code == 0);
    CHECK(has(failures.out, "wrong_result"));
    std::smatch id;
    REQUIRE(std::regex_search(failures.out, id, std::regex("(^|\n)([0-9a-f]{7,})[ \n]")));
    const auto shown = user.types({"show", id[2]});
    CHECK(shown.exit_code == 0);
    CHECK(has(shown.out, "wrong elements"));
  }

  TEST_CASE("a run says that another one measures in the same database") {
    const User user;
    write_counting(user);
    const auto says_so = [&] {
      return has(
          user.types({"run", "--kernel", "count.toml", "--device", "cpu", "--sizes", "7", "--db", "t.db"})
              .err,
          "another run measures on cpu and records in this database (tuner run other.toml)");
    };
    CHECK_FALSE(says_so());
    db::ResultStore store(user.home / "t.db");
    tuner::model::RunRecord other = db_test::sample_run();
    other.id = tuner::model::Digest::random();
    other.host = tuner::util::host_name();
    other.state = "running";
    other.device.id = "cpu";
    other.command_line = "tuner run other.toml";
    store.begin_run(other);
    CHECK(says_so());
    store.end_run(other.id, "done");
    CHECK_FALSE(says_so());
  }

  TEST_CASE("an edited value list measures only what is new") {
    const User user;
    write_counting(user);
    const std::vector<std::string> run = {"run", "--kernel", "count.toml", "--device",
                                          "cpu", "--sizes",  "64"};
    REQUIRE(user.types(run).exit_code == 0);
    std::string spec = tuner::test::read_text(user.home / "count.toml");
    spec.replace(spec.find("[32, 64]"), 8, "[32, 64, 128]");
    write_text(user.home / "count.toml", spec);
    const auto again = user.types(run);
    CHECK(again.exit_code == 0);
    CHECK(has(again.err, "6 trials, 4 of them known already"));
  }

  TEST_CASE("an export replays as a device with the same winner, and imports into another database") {
    const User user;
    write_counting(user);
    const auto run = user.types({"run", "--kernel", "count.toml", "--device", "cpu", "--sizes", "64"});
    REQUIRE(run.exit_code == 0);
    REQUIRE(user.types({"export", "-o", "sweep.jsonl"}).exit_code == 0);
    const auto replay = user.types({"run", "--kernel", "count.toml", "--device", "replay:sweep.jsonl",
                                    "--sizes", "64", "--db", "replayed.db"});
    INFO(replay.err);
    CHECK(replay.exit_code == 0);
    // But for the device's name, and the trial's identifier, which has it.
    CHECK(replay.out.substr(replay.out.find("configuration")) ==
          run.out.substr(run.out.find("configuration")));
    CHECK(user.types({"import", "sweep.jsonl", "--db", "other.db"}).exit_code == 0);
    const std::vector<std::string> best = {"best",       "--size",   "64",   "--kernel",
                                           "count.toml", "--format", "flags"};
    std::vector<std::string> elsewhere = best;
    elsewhere.insert(elsewhere.end(), {"--db", "other.db"});
    CHECK(user.types(elsewhere).out == user.types(best).out);
  }

  TEST_CASE("each way of launching is a class of its own, and a replay names those that it has") {
    User user;
    user.measures_by_default();
    write_counting(user);
    const auto run = [&](std::vector<std::string> flags) {
      flags.insert(flags.begin(), {"run", "--kernel", "count.toml", "--sizes", "64"});
      return user.types(flags);
    };
    REQUIRE(run({"--device", "cpu", "--measure", "quick"}).exit_code == 0);
    const auto eager = run({"--device", "cpu", "--measure", "quick", "--execution", "eager"});
    INFO(eager.err);
    CHECK(eager.exit_code == 0);
    CHECK_FALSE(has(eager.err, "known already"));
    CHECK(has(user.types({"best", "64", "--execution", "eager"}).out, "quick-3, eager"));
    CHECK(has(user.types({"best", "64", "--execution", "graph"}).out, "quick-3\n"));
    const auto stream = run({"--device", "cpu", "--execution", "stream"});
    CHECK(stream.exit_code == 2);
    CHECK(has(stream.err, "--execution stream: the device cpu has no streams"));
    CHECK(has(stream.err, "--execution eager"));

    REQUIRE(user.types({"export", "-o", "sweep.jsonl"}).exit_code == 0);
    const std::vector<std::string> replay = {"--device", "replay:sweep.jsonl", "--db", "replayed.db"};
    const auto other = run(replay);
    CHECK(other.exit_code == 2);
    CHECK(has(other.err,
              "has no times of standard-3, L2 warm, --execution graph; its times are of "
              "quick-3, L2 "
              "warm, --execution eager and of quick-3, L2 warm, --execution graph"));
    CHECK(has(other.err, "replay them with --measure quick or --measure quick --execution eager"));
    std::vector<std::string> same = replay;
    same.insert(same.end(), {"--measure", "quick", "--execution", "eager"});
    const auto again = run(same);
    INFO(again.err);
    CHECK(again.exit_code == 0);
    CHECK(has(user.types({"best", "64", "--db", "replayed.db"}).out, "quick-3, eager"));
  }

  TEST_CASE("colours and progress are as asked for") {
    const User user;
    write_counting(user);
    const auto run = [&](const std::vector<std::string>& flags) {
      std::vector<std::string> command = {"run", "--kernel", "count.toml", "--device",
                                          "cpu", "--sizes",  "100"};
      command.insert(command.end(), flags.begin(), flags.end());
      command.emplace_back("--fresh");
      const auto result = user.types(command);
      CHECK_MESSAGE(result.exit_code == 0, result.err);
      return result.err;
    };
    CHECK_FALSE(has(run({}), "\x1b["));
    CHECK(has(run({"--color", "always", "--progress", "always"}), "\x1b["));
    CHECK_FALSE(has(run({"--color", "never", "--progress", "never"}), "\x1b["));
    const auto refused = user.types({"run", "--color", "sometimes"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "sometimes"));
  }

  TEST_CASE("--events is a line of JSON for each thing that happens, and no event stops a sweep") {
    const User user;
    write_counting(user);
    const auto runs = [&](const std::string& events) {
      return user.types({"run", "--device", "cpu", "--kernel", user.home / "count.toml", "--sizes",
                         "1000,2000", "--measure", "quick", "--fresh", "--events", events});
    };
    const auto read = [](const std::string& text) {
      std::map<std::string, std::vector<nlohmann::json>> by_event;
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        const auto event = nlohmann::json::parse(line);
        by_event[event["event"]].push_back(event);
      }
      return by_event;
    };
    const auto first = runs(user.home / "events.jsonl");
    REQUIRE_MESSAGE(first.exit_code == 0, first.err);
    auto events = read(tuner::test::read_text(user.home / "events.jsonl"));
    CHECK(events["planned"].front()["total"] == 8);
    REQUIRE(events["trial"].size() == 8);
    std::map<std::string, int> statuses;
    for (const auto& event : events["trial"]) ++statuses[event["trial"]["status"]];
    CHECK(statuses["wrong_result"] == 4);
    CHECK(events["search"].size() == 2);
    CHECK(events["final"].size() == 2);
    CHECK(events["end"].front()["ending"] == "done");
    CHECK(events["end"].front()["exit_code"] == 0);
    REQUIRE(events["end"].front()["devices"].size() == 1);
    CHECK(events["end"].front()["devices"].front()["seconds"]["trials"] > 0);
    CHECK(events["end"].front()["devices"].front()["seconds"]["finals"] > 0);

    // More than is compiled ahead, so that the first size pauses before the budget is spent.
    user.types({"run", "--device", "cpu", "--kernel", "naive", "--sizes", "32,64", "--measure", "quick",
                "--budget", "60", "--events", user.home / "cut.jsonl"});
    events = read(tuner::test::read_text(user.home / "cut.jsonl"));
    CHECK(events["pause"].size() == 1);
    CHECK(events["trial"].size() == 60);
    CHECK(events["end"].front()["ending"] == "budget");

    const auto on_stdout = runs("-");
    CHECK(read(on_stdout.out)["trial"].size() == 8);  // and no table between them

    const auto full = runs("/dev/full");
    CHECK(full.exit_code == 0);
    CHECK(has(full.err, "--events /dev/full: No space left on device; no more events are written"));
    CHECK(runs(user.home / "no/such/folder").exit_code == 2);
  }

  TEST_CASE("a mistyped strategy is refused before anything is written") {
    const User user;
    write_counting(user);
    const auto refused =
        user.types({"run", "--kernel", "count.toml", "--device", "cpu", "--strategy", "exhaustiv"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "unknown strategy `exhaustiv`"));
    CHECK_FALSE(std::filesystem::exists(user.home / ".local/share/tuner/tuner.db"));
  }

  TEST_CASE("what --until and --budget cannot mean is refused before anything is written") {
    const User user;
    write_counting(user);
    for (const auto& [flag, value] :
         {std::pair("--until", "1"), std::pair("--until", "-1%"), std::pair("--until", "100%"),
          std::pair("--until", "nan%"), std::pair("--until", "%"), std::pair("--budget", "20-gpu"),
          std::pair("--budget", "0s-gpu"), std::pair("--budget", "-gpu")}) {
      CAPTURE(value);
      const auto refused = user.types({"run", "--kernel", "count.toml", "--device", "cpu", flag, value});
      CHECK(refused.exit_code == 2);
      CHECK(has(refused.err, flag));
    }
    CHECK_FALSE(std::filesystem::exists(user.home / ".local/share/tuner/tuner.db"));
    write_text(user.home / "tuner.toml", "until = \"a lot\"\n");
    const auto refused = user.types({"run", "--kernel", "count.toml", "--device", "cpu"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "tuner.toml:1:"));
  }

  TEST_CASE("a run says how it searches; answers say how far, and where the winner's idea came from") {
    const User user;
    write_counting(user);
    std::string spec = tuner::test::read_text(user.home / "count.toml");
    spec.replace(spec.find("[32, 64]"), 8, "[32, 64, 2048]");
    write_text(user.home / "count.toml", spec);
    const std::vector<std::string> run = {"run", "--kernel", "count.toml", "--device",
                                          "cpu", "--sizes",  "100,200"};
    std::vector<std::string> short_run = run;
    short_run.insert(short_run.end(), {"--budget", "3", "--until", "1%"});
    const auto first = user.types(short_run);
    REQUIRE(first.exit_code == 0);
    CHECK(has(first.err, "strategy random: every configuration"));
    CHECK(has(first.err,
              "not tried: 2 of 6 configurations of count at 100, which this device cannot launch: "));
    CHECK(has(first.err, "= 2048; this device allows 1 to 1024"));
    CHECK(has(first.err, "the budget is spent"));
    const auto partly = user.types({"best", "--size", "100", "--format", "json"});
    if (partly.exit_code == 0) CHECK(has(partly.out, "\"whole\": false"));
    const auto whole = user.types(run);
    REQUIRE(whole.exit_code == 0);
    CHECK(has(whole.out, "searched: whole at all 2 sizes"));
    const auto best = user.types({"best", "--size", "200"});
    CHECK(has(best.out, "  searched       whole: all 4\n"));
    const std::string origin = has(best.out, "  origin         default\n") ? "default" : "random";
    CHECK_MESSAGE(has(best.out, "  origin         " + origin + "\n"), best.out);
    const std::string json = user.types({"best", "--size", "200", "--format", "json"}).out;
    CHECK(has(json, "\"origin\": \"" + origin + "\""));
    CHECK(has(json, "\"whole\": true"));
    const std::size_t id = json.find("\"trial\": \"") + 10;
    CHECK(has(user.types({"show", json.substr(id, 32)}).out, "  origin "));
    CHECK(has(user.types({"report"}).out, "- **searched:** whole at all 2 sizes"));
    CHECK(has(user.types({"export"}).out, "{\"search\":"));
    CHECK(has(user.types({"list", "strategies"}).out, "auto"));
    // A budget of the device's time ends a sweep too: a fraction of a second is all of it.
    std::vector<std::string> on_device = run;
    on_device.insert(on_device.end(), {"--fresh", "--budget", "1s-gpu"});
    CHECK(user.types(on_device).exit_code == 0);
  }

  TEST_CASE("a run's export and report keep what it measured, whatever was measured later") {
    const User user;
    write_counting(user);
    const std::vector<std::string> run = {"run",     "--kernel", "count.toml", "--device", "cpu",
                                          "--sizes", "100",      "--measure",  "complete"};
    REQUIRE(user.types(run).exit_code == 0);
    const std::string listed = user.types({"list", "runs"}).out;
    const std::size_t line = listed.find("\n", listed.find("\n") + 1) + 1;
    const std::string id = listed.substr(line, listed.find(' ', line) - line);
    const std::vector<std::string> kept = {"export", "--run", id};
    const std::vector<std::string> report = {"report", "--run", id, "-o", "report.csv"};
    const std::string before = user.types(kept).out;
    REQUIRE(has(before, "LOSE_ONE"));
    REQUIRE(user.types(report).exit_code == 0);
    const std::string reported = tuner::test::read_text(user.home / "report.csv");

    std::vector<std::string> again = run;
    again.emplace_back("--fresh");
    REQUIRE(user.types(again).exit_code == 0);
    const std::string after = user.types(kept).out;
    CHECK(after.find("wrong elements") == before.find("wrong elements"));
    CHECK(std::count(after.begin(), after.end(), '\n') >= std::count(before.begin(), before.end(), '\n') - 2);
    REQUIRE(user.types(report).exit_code == 0);
    CHECK(tuner::test::read_text(user.home / "report.csv") == reported);
  }

  TEST_CASE("forget says what would go, and then does it") {
    const User user;
    write_counting(user);
    REQUIRE(user.types({"run", "--kernel", "count.toml", "--device", "cpu", "--sizes", "100"}).exit_code ==
            0);
    const auto dry = user.types({"forget", "--kernel", "count", "--dry-run"});
    CHECK(dry.exit_code == 0);
    CHECK(has(dry.out, "would be forgotten: 4 trials"));
    CHECK(user.types({"best", "--size", "100"}).exit_code == 0);
    CHECK(user.types({"forget", "--kernel", "count"}).exit_code == 0);
    CHECK(user.types({"best", "--size", "100"}).exit_code == 3);
    CHECK(user.types({"forget", "--kernel", "count"}).exit_code == 3);
    CHECK(user.types({"forget"}).exit_code == 2);
  }

  TEST_CASE("/dev/null takes a report and an export, and stays what it is") {
    const User user;
    write_counting(user);
    REQUIRE(user.types({"run", "--kernel", "count.toml", "--device", "cpu", "--sizes", "100", "--report",
                        "/dev/null"})
                .exit_code == 0);
    CHECK(user.types({"report", "-o", "/dev/null"}).exit_code == 0);
    CHECK(user.types({"export", "-o", "/dev/null"}).exit_code == 0);
    CHECK(std::filesystem::is_character_file("/dev/null"));
  }
}
