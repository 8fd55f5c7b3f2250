// Specs that are edited between two runs, where an edit needs no new binary: what follows of it at once.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::read_text;
using tuner::test::SmallKernel;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, edits of specs") {
  namespace {

  /// One of a family: the time follows from WORK, and so do the bits from 4000 on.
  SmallKernel working(const std::string& name, const std::string& values, const std::string& keys = "") {
    return {.name = name,
            .keys = "family = \"working\"\n" + keys,
            .parameters = "WORK = [" + values + "]",
            .value = "WORK < 4000 ? i : i + 1",
            .loops = "50 * WORK",
            .is_verified = false};
  }

  struct Editor : User {
    explicit Editor(const SmallKernel& kernel) : file(home / (kernel.name + ".toml")) { kernel.write(home); }
    void edit(const std::string& from, const std::string& to) const {
      std::string text = read_text(file);
      const std::size_t at = text.find(from);
      REQUIRE(at != std::string::npos);
      write_text(file, text.replace(at, from.size(), to));
    }
    auto tries(const std::vector<std::string>& more = {}) const {
      std::vector<std::string> command = {"run",     "--kernel", home.path(), "--device", "cpu",
                                          "--sizes", "2000",     "--measure", "complete"};
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
    auto runs(const std::vector<std::string>& more = {}) const {
      const auto run = tries(more);
      INFO(run.err);
      CHECK(run.exit_code == 0);
      return run;
    }
    /// The one answer, as `best` has it as JSON.
    json best(const std::vector<std::string>& more = {}) const {
      std::vector<std::string> command = {"best", "2000", "--format", "json"};
      command.insert(command.end(), more.begin(), more.end());
      const auto said = types(command);
      INFO(said.err);
      REQUIRE(said.exit_code == 0);
      return json::parse(said.out)["answers"].at(0);
    }
    /// All that competes.
    std::vector<json> trials() const {
      std::vector<json> all;
      const json report = json::parse(types({"report", "--format", "json"}).out);
      for (const json& environment : report["environments"])
        for (const json& trial : environment["trials"]) all.push_back(trial);
      return all;
    }

    std::string file;
  };

  }  // namespace

  TEST_CASE(
      "a baseline that becomes a competitor wins where it is the fastest, whichever final has timed it") {
    const Editor user(working("fast", "100"));
    working("slow", "4000, 8000").write(user.home);
    const std::string competitor = "family = \"working\"\n";
    for (const char* round : {"first", "again"}) {
      CAPTURE(round);
      user.edit(competitor, competitor + "role = \"baseline\"\n");
      user.runs();
      CHECK(user.best()["winner"]["kernel"] == "slow");
      CHECK_FALSE(has(user.runs().err, "1 final"));
      user.edit("role = \"baseline\"\n", "");
      CHECK(has(user.runs().err, "1 final"));
      CHECK(user.best()["winner"]["kernel"] == "fast");
      CHECK(user.best()["remeasured"] == true);
    }
  }

  TEST_CASE("the default is what the spec says now, for gains, bits and covers") {
    const Editor user(working("work", "100, 2000, 4000, 8000", "default = { WORK = 8000 }\n"));
    user.runs();
    CHECK(user.best()["default"]["configuration"]["WORK"] == 8000);
    user.edit("WORK = 8000 }", "WORK = 2000 }");
    user.runs();
    CHECK(user.best()["default"]["configuration"]["WORK"] == 2000);
    CHECK(user.best({"--same-bits-as", "default"})["winner"]["configuration"]["WORK"] == 100);
    user.edit("4000, 8000]", "4000, 8000, 16000]");
    user.edit("WORK = 2000 }", "WORK = 16000 }");
    user.runs();
    std::multiset<int> defaults;
    for (const json& trial : user.trials())
      if (trial["is_default"] == true) defaults.insert(trial["configuration"]["WORK"].get<int>());
    CHECK(defaults == std::multiset<int>{16000});
    CHECK(user.best({"--same-bits-as", "default"})["winner"]["configuration"]["WORK"] == 4000);
  }

  TEST_CASE("metrics and workload are those of the spec as it is now, of what was measured before too") {
    const Editor user(working("work", "100, 2000"));
    user.runs();
    user.edit("\"Gelements/s\" = \"1.0 * N", "\"Melements/s\" = \"1000.0 * N");
    user.edit("[metrics]", "[workload]\nbytes = \"4 * N\"\n\n[metrics]");
    user.edit("2000]", "2000, 4000]");
    user.runs();
    CHECK(user.trials().size() == 3);
    for (const json& trial : user.trials()) {
      CAPTURE(trial.dump());
      const double wanted = 1000.0 * 2000 / trial["measurement"]["median_ns"].get<double>();
      CHECK(trial["metrics"].size() == 1);
      CHECK(trial["metrics"]["Melements/s"].get<double>() == doctest::Approx(wanted));
      CHECK(trial["workload"]["bytes"] == 8000);
    }
    const auto shown = user.types({"export"});
    CHECK(has(shown.out, "Melements/s"));
    CHECK_FALSE(has(shown.out, "Gelements/s"));
  }

  TEST_CASE("refresh races who wins by the spec as it is now, after an edit that was undone too") {
    Editor user(working("work", "100, 4000"));
    user.edit("verify", "constraints = [\"WORK >= 1\"]\nverify");
    user.runs();
    user.edit("WORK >= 1\"", "WORK >= 4000\"");
    user.runs();
    CHECK(user.best()["winner"]["configuration"]["WORK"] == 4000);
    user.edit("WORK >= 4000\"", "WORK >= 1\"");
    user.environment["TUNER_HOST_CXX"] = "g++ -O1";
    const auto refreshed = user.types({"refresh", "--device", "cpu", "--format", "json"});
    REQUIRE_MESSAGE(refreshed.exit_code == 0, refreshed.err);
    CHECK(json::parse(refreshed.out)["sizes"].at(0)["after"]["configuration"]["WORK"] == 100);
  }

  TEST_CASE(
      "a kernel that moved to another family is told from what it was, and only that may be forgotten") {
    const Editor user(working("work", "100, 2000"));
    user.runs();
    user.edit("\"working\"", "\"moved\"");
    user.runs();
    const auto said = user.types({"best", "2000", "--format", "json"});
    const json answers = json::parse(said.out)["answers"];
    CHECK(answers.size() == 2);
    for (const json& answer : answers)
      CHECK(answer["spec"]["state"] == (answer["family"] == "moved" ? "unchanged" : "unreadable"));
    CHECK(has(words_of(said.err), "`tuner forget --family working --kernel work` removes its results"));
    CHECK(user.types({"forget", "--family", "working"}).exit_code == 2);
    CHECK(has(user.types({"forget", "--family", "working", "--kernel", "work"}).out, "forgotten: 2 trials"));
    CHECK(user.trials().size() == 2);
    CHECK(user.best()["family"] == "moved");
    CHECK(has(user.types({"forget", "--kernel", "work"}).out, "forgotten: 2 trials"));
  }

  TEST_CASE("a kernel that its spec kept off the device runs once that is edited") {
    const Editor user(working("work", "100, 2000", "devices = [\"cuda\"]\n"));
    user.tries();
    CHECK(user.types({"best"}).exit_code == 3);
    user.edit("devices = [\"cuda\"]\n", "");
    CHECK(has(user.runs().err, "2 trials in"));
    CHECK(user.best()["winner"]["configuration"]["WORK"] == 100);
  }

  TEST_CASE("what failed as it was, and is edited since, is told where there is no answer") {
    SmallKernel kernel = working("work", "100, 2000");
    kernel.begin = "#include \"own.cuh\"\n";
    const Editor user(kernel);
    write_text(user.home / "own.cuh", "nonsense\n");
    CHECK(user.tries().exit_code == 1);
    CHECK_FALSE(has(user.types({"best"}).err, "was edited since"));
    write_text(user.home / "own.cuh", "\n");
    const auto said = user.types({"best"});
    CHECK(said.exit_code == 3);
    CHECK(has(said.err, "work was edited since: " + user.file));
    CHECK(has(said.err, "tuner run --kernel " + user.file + " --sizes 2000"));
  }

  TEST_CASE("explain and report say that the spec was edited") {
    const Editor user(working("work", "100, 2000"));
    user.runs();
    CHECK_FALSE(has(user.types({"explain"}).err, "was edited since"));
    CHECK_FALSE(has(user.types({"report"}).out, "was edited since"));
    user.edit("100, 2000", "100, 2000, 3000");
    CHECK(has(user.types({"explain"}).err, "work was edited since: " + user.file));
    CHECK(has(user.types({"report"}).out, "work was edited since: " + user.file));
  }

  TEST_CASE("a header that is installed later is found with --retry-failed") {
    Editor user(working("work", "100, 2000"));
    user.environment["TUNER_HOST_CXX"] = "g++ -I" + user.home / "installed";
    write_text(user.home / "work.cu", "#include <installed.cuh>\n" + read_text(user.home / "work.cu"));
    CHECK(user.tries().exit_code == 1);
    mkdir((user.home / "installed").c_str(), 0777);
    write_text(user.home / "installed/installed.cuh", "\n");
    CHECK(has(user.runs({"--retry-failed"}).err, "2 trials in"));
  }
}
