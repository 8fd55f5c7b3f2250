#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/files.hpp"

using db_test::key;
using db_test::timed_trial;
using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, compare") {
  namespace {

  namespace fs = std::filesystem;

  /// A trial of `run` with 20 samples of about `level` ns.
  tuner::model::TrialRecord sampled_trial(const std::string& name, std::int64_t size, double level,
                                          const std::string& run = "run") {
    tuner::model::TrialRecord trial = timed_trial(name, size, level);
    trial.run = key(run);
    trial.outcome.measurement->includes_launch_latency = false;
    trial.outcome.measurement->samples_ns.clear();
    for (int i = -10; i < 10; ++i) trial.outcome.measurement->samples_ns.push_back(level * (1 + 0.0002 * i));
    return trial;
  }

  void measure(const fs::path& database, const std::string& run,
               const std::vector<tuner::model::TrialRecord>& trials) {
    db::ResultStore store(database);
    store.begin_run(db_test::sample_run(run));
    for (const auto& trial : trials) store.record(trial);
  }

  /// Someone whose own database has two runs: `b` was the best of the first at 512 and `d` of the second,
  /// which also measured 1024; and a final of the first run.
  struct Owner : User {
    Owner() : database(home / "tuner.db") {
      environment["TUNER_DB"] = database;
      measure(database, "run", {sampled_trial("e", 512, 1100)});
      {
        db::ResultStore store(database);
        store.record_final(
            db_test::sample_final(),
            {sampled_trial("a", 512, 1000), sampled_trial("b", 512, 1002), sampled_trial("c", 512, 1040)});
      }
      measure(database, "other",
              {sampled_trial("d", 512, 900, "other"), sampled_trial("f", 1024, 7000, "other")});
    }
    tuner::test::ProgramResult compares(const std::string& a, const std::string& b,
                                        std::vector<std::string> more = {}) const {
      std::vector<std::string> command = {"compare", a, b};
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
    static std::string id(const std::string& name) { return key(name).hex().substr(0, 12); }

    std::string database;
  };

  /// A kernel for the CPU device that says how much it does.
  void write_spinning(const User& user) {
    tuner::test::SmallKernel{.name = "spin", .parameters = "ROUNDS = [1, 8]", .loops = "1000 * ROUNDS"}.write(
        user.home);
  }

  /// The identifier of the trial whose configuration reads `configuration` in an export.
  std::string exported_id(const std::string& lines, const std::string& configuration) {
    const std::size_t at = lines.find(configuration);
    REQUIRE(at != std::string::npos);
    const std::size_t line = lines.rfind('\n', at);
    const std::string before = "{\"trial\":\"";
    const std::size_t found = lines.find(before, line);
    REQUIRE(found < lines.find('\n', at));
    return lines.substr(found + before.size(), 32);
  }

  }  // namespace

  TEST_CASE("trials of one final are compared by it, in either order") {
    const Owner user;
    const auto slower = user.compares(user.id("c"), user.id("a"));
    INFO(slower.err);
    CHECK(slower.exit_code == 0);
    CHECK(has(slower.out, "A is slower than B: it takes 1.040 (1.030–1.050) of B's time"));
    CHECK(has(slower.out, "sampled in turn, in the final of 20"));
    CHECK(has(slower.out, "the same of both"));
    CHECK(has(slower.out, "NVIDIA H200, driver 580.159.04, nvrtc 13.0"));
    CHECK(has(user.compares(user.id("a"), user.id("c")).out, "A is faster than B: it takes 0.962"));
    CHECK(has(user.compares(user.id("b"), user.id("a")).out, "A and B cannot be told apart"));
  }

  TEST_CASE("trials without a common final are compared by their samples") {
    const Owner user;
    const auto apart = user.compares(user.id("d"), user.id("e"));
    CHECK(apart.exit_code == 0);
    CHECK(has(apart.out, "A is faster than B: it takes 0.818"));
    CHECK(has(apart.out, "20 and 20 samples taken apart"));
    const auto itself = user.compares(user.id("d"), user.id("d"));
    CHECK(itself.exit_code == 0);
    CHECK(has(itself.out, "cannot be told apart"));
  }

  TEST_CASE("a time too short to tell from launch latency is marked, as in other tables") {
    const Owner user;
    auto brief = sampled_trial("brief", 512, 800);
    brief.outcome.measurement->includes_launch_latency = true;
    measure(user.database, "run", {brief});
    const auto shown = user.types({"best", "512", "--top", "9"});
    CHECK(has(shown.out, "800.0 ns†"));
    CHECK(has(shown.out, "† too short to tell from launch latency"));
  }

  TEST_CASE("recordings without dates are one measurement only where their times are the same") {
    const User user;
    const auto records = [&](const char* name, const char* time) {
      write_text(user.home / name,
                 R"({"device_name":"X","kernel_name":"add","problem_size":[64],"tune_params_keys":["b"],)"
                 R"("tune_params":{"b":[32]},"cache":{"32":{"b":32,"time":)" +
                     std::string(time) + "}}}");
    };
    records("old.json", "1.0");
    records("new.json", "2.0");
    const auto slower = user.types({"compare", "new.json", "old.json", "--fail-if-slower", "1%"});
    INFO(slower.out << slower.err);
    CHECK(slower.exit_code == 5);
    CHECK(has(slower.out, "slower at 1"));
    CHECK(has(slower.out, "2.000 (1.333–3.000)"));
    CHECK(user.types({"compare", "old.json", "old.json", "--fail-if-slower", "1%"}).exit_code == 0);
  }

  TEST_CASE("what a comparison says does not depend on who is named first") {
    const Owner user;
    const auto ratio = [&](const std::string& a, const std::string& b, const char* end) {
      const auto said =
          nlohmann::json::parse(user.compares(user.id(a), user.id(b), {"--format", "json"}).out);
      return said["comparisons"][0][end].get<double>();
    };
    CHECK(ratio("d", "e", "ratio") * ratio("e", "d", "ratio") == doctest::Approx(1).epsilon(1e-9));
    CHECK(ratio("d", "e", "ratio_low") * ratio("e", "d", "ratio_high") == doctest::Approx(1).epsilon(1e-9));
    CHECK(ratio("d", "e", "ratio_high") * ratio("e", "d", "ratio_low") == doctest::Approx(1).epsilon(1e-9));
  }

  TEST_CASE("what two classes differ in is told, whatever it is, and nothing else") {
    const Owner user;
    const fs::path theirs = user.home / "theirs.db";
    auto foreign = sampled_trial("a", 512, 880, "theirs");
    auto& of = foreign.environment;
    std::string difference;
    SUBCASE("device") {
      of.device = "NVIDIA H100";
      difference = "device NVIDIA H200 (A), NVIDIA H100 (B)";
    }
    SUBCASE("driver") {
      of.driver = "570.1";
      difference = "driver 580.159.04 (A), 570.1 (B)";
    }
    SUBCASE("toolkit") {
      of.toolkit = "nvrtc 12.9";
      difference = "toolkit nvrtc 13.0 (A), nvrtc 12.9 (B)";
    }
    SUBCASE("execution") {
      of.execution = "eager";
      difference = "execution graph (A), eager (B)";
    }
    SUBCASE("L2 policy") {
      of.l2 = "cold";
      difference = "L2 warm (A), cold (B)";
    }
    SUBCASE("inputs") {
      of.inputs = "older";
      difference = "inputs spec (A), older (B)";
    }
    measure(theirs, "theirs", {foreign});
    const auto shown = user.compares(user.database, theirs);
    INFO(shown.out);
    CHECK(has(shown.out,
              "not compared, their environments differ: 1 problem (matmul 1): " + difference + "\n"));
    CHECK(has(shown.out, "no problem was measured by both in one environment"));
  }

  TEST_CASE("what cannot be compared is refused with the reason") {
    const Owner user;
    const auto sizes = user.compares(user.id("d"), user.id("f"));
    CHECK(sizes.exit_code == 2);
    CHECK(has(sizes.err, "A is of matmul 512 float, B of matmul 1024 float"));
    auto foreign = sampled_trial("g", 512, 1000);
    foreign.environment.driver = "570.1";
    measure(user.database, "run",
            {foreign, db_test::failed_trial("h", 512, tuner::model::TrialStatus::timeout)});
    const auto environments = user.compares(user.id("d"), user.id("g"));
    CHECK(environments.exit_code == 2);
    CHECK(has(environments.err, "driver 570.1"));
    CHECK(has(environments.err, "--fresh"));
    CHECK(has(user.compares(user.id("d"), user.id("h")).err, "has no time: it is timeout"));
    auto condemned = sampled_trial("j", 512, 800);
    measure(user.database, "run", {condemned});
    db::ResultStore(user.database)
        .record_verdict({condemned.probe_key, tuner::model::TrialStatus::wrong_result, "", 0, condemned.key,
                         condemned.run, "2026-01-02T03:04:05Z"});
    const auto with_condemned = user.compares(user.id("d"), user.id("j"));
    CHECK(with_condemned.exit_code == 2);
    CHECK(has(with_condemned.err, "has no time: it is wrong_result"));
    auto without_samples = sampled_trial("i", 512, 1000);
    without_samples.outcome.measurement->samples_ns.clear();
    measure(user.database, "run", {without_samples});
    CHECK(has(user.compares(user.id("d"), user.id("i")).err, "has a time without its samples"));
    const auto one_and_many = user.compares(user.id("d"), user.database);
    CHECK(one_and_many.exit_code == 2);
    CHECK(has(one_and_many.err, "'" + user.id("d") + "' is a trial, '" + user.database + "' many"));
    CHECK(user.compares("nobody", user.id("d")).exit_code == 3);
    CHECK(user.compares("0123456789abcdef", user.id("d")).exit_code == 3);
    CHECK(user.compares(user.database, user.database, {"--fresh"}).exit_code == 2);
  }

  TEST_CASE("a trial that was dropped early is slower by the sample that it has, and never the faster one") {
    const Owner user;
    auto dropped = sampled_trial("i", 512, 3000);
    dropped.outcome.status = tuner::model::TrialStatus::dropped;
    dropped.outcome.measurement->samples_ns = {3000};
    measure(user.database, "run", {dropped});
    const auto answer = user.compares(user.id("i"), user.id("d"));
    INFO(answer.out, answer.err);
    CHECK(answer.exit_code == 0);
    CHECK(has(answer.out, "dropped"));
    CHECK(has(answer.out, "A is slower than B"));
    CHECK(has(answer.out, "(1 and 20 samples taken apart)"));
  }

  TEST_CASE("runs are compared by what each would have used, problem by problem") {
    const Owner user;
    const auto runs = user.compares(key("other").hex(), key("run").hex());
    INFO(runs.err);
    CHECK(runs.exit_code == 0);
    CHECK(has(runs.out, key("d").hex().substr(0, 7)));
    CHECK(has(runs.out, "512: NAME d → b"));  // what its final chose
    CHECK(has(runs.out, "0.898"));
    CHECK(has(runs.out, "A is faster at 1, slower at 0, tied at 0; geometric mean of A's time / B's 0.898"));
    CHECK(has(runs.out, "only A: 1 problem (matmul 1)"));
    CHECK_FALSE(has(runs.out, "only B"));
    const auto json = user.compares(key("other").hex(), key("run").hex(), {"--format", "json"}).out;
    CHECK(has(json, "\"schema_version\": 2"));
    CHECK(has(json, "\"verdict\": \"faster\""));
    CHECK(has(json, "\"only_b\": []"));
    const nlohmann::json only_a = nlohmann::json::parse(json)["only_a"];
    REQUIRE(only_a.size() == 1);
    CHECK(only_a[0]["family"] == "matmul");
    CHECK(only_a[0]["trial"].get<std::string>().size() == 32);
  }

  TEST_CASE("two runs that were merged, in either order, compare as the databases that they come from") {
    const Owner user;
    // Both measured a and f; each is the best at one size of one run.
    measure(user.home / "one.db", "one",
            {sampled_trial("a", 512, 1000, "one"), sampled_trial("b", 512, 1100, "one"),
             sampled_trial("f", 1024, 7000, "one")});
    measure(user.home / "two.db", "two",
            {sampled_trial("a", 512, 1300, "two"), sampled_trial("c", 512, 1200, "two"),
             sampled_trial("f", 1024, 6900, "two"), sampled_trial("g", 1024, 7200, "two")});
    const auto comparisons = [&](const std::string& a, const std::string& b,
                                 const std::vector<std::string>& more) {
      std::vector<std::string> flags = {"--format", "json"};
      flags.insert(flags.end(), more.begin(), more.end());
      const auto run = user.compares(a, b, flags);
      INFO(run.err);
      REQUIRE(run.exit_code == 0);
      auto found = nlohmann::json::parse(run.out)["comparisons"];
      for (auto& one : found)  // of a trial's energies the latest stays, whichever run took it
        for (const char* side : {"a", "b"}) one[side].erase("energy");
      return found;
    };
    const auto apart = comparisons(user.home / "one.db", user.home / "two.db", {});
    REQUIRE(apart.size() == 2);
    CHECK(apart[0]["a"]["trial"] == key("a").hex());
    CHECK(apart[0]["b"]["trial"] == key("c").hex());
    CHECK(apart[1]["verdict"] == "slower");
    for (const auto& [first, second] : {std::pair("one.db", "two.db"), {"two.db", "one.db"}}) {
      const std::string merged = user.home / (std::string("merged ") + first);
      REQUIRE(user.types({"merge", first, second, "--db", merged}).exit_code == 0);
      CHECK(comparisons(key("one").hex(), key("two").hex(), {"--db", merged}) == apart);
    }
  }

  TEST_CASE("a comparison fails a build where A is surely slower than is allowed") {
    const Owner user;
    const fs::path theirs = user.home / "theirs.db";
    measure(theirs, "theirs",
            {sampled_trial("a", 512, 880, "theirs"), sampled_trial("f", 1024, 7000, "theirs")});
    const auto slower = user.compares(user.database, theirs, {"--fail-if-slower", "1%"});
    INFO(slower.err);
    CHECK(slower.exit_code == 5);
    CHECK(has(slower.out, "A is surely more than 1 % slower: matmul 512 1.023 ("));
    CHECK(has(slower.out, "surely not more than 1 % slower: 1 of 2"));
    CHECK(user.compares(user.database, theirs, {"--fail-if-slower", "5 %"}).exit_code == 0);
    CHECK(user.compares(theirs, user.database, {"--fail-if-slower", "0%"}).exit_code == 0);
    const auto near = user.compares(user.database, theirs, {"--fail-if-slower", "2.2%"});
    CHECK(near.exit_code == 0);
    CHECK(has(near.out, "undecided whether A is more than 2.2 % slower: matmul 512"));
    const auto json = user.compares(user.database, theirs, {"--fail-if-slower", "1%", "--format", "json"});
    CHECK(json.exit_code == 5);
    CHECK(has(json.out, "\"judged\": \"too slow\""));
    CHECK(has(json.out, "\"undecided\": 0"));
  }

  TEST_CASE("two trials fail a build likewise, by the final that they took part in") {
    const Owner user;
    CHECK(user.compares(user.id("c"), user.id("a"), {"--fail-if-slower", "2%"}).exit_code == 5);
    CHECK(user.compares(user.id("c"), user.id("a"), {"--fail-if-slower", "5%"}).exit_code == 0);
    const auto between = user.compares(user.id("c"), user.id("a"), {"--fail-if-slower", "4%"});
    CHECK(between.exit_code == 0);
    CHECK(has(between.out, "undecided"));
    CHECK(user.compares(user.id("a"), user.id("c"), {"--fail-if-slower", "0%"}).exit_code == 0);
  }

  TEST_CASE("all that a run sampled of its best is held against the limit, not its last samples alone") {
    const Owner user;
    const fs::path twice = user.home / "twice.db";
    measure(twice, "run", {sampled_trial("k", 256, 900)});
    measure(twice, "run", {sampled_trial("k", 256, 1000)});
    const fs::path fast = user.home / "fast.db";
    measure(fast, "run", {sampled_trial("k", 256, 900)});
    const fs::path slow = user.home / "slow.db";
    measure(slow, "run", {sampled_trial("k", 256, 1001)});
    CHECK(user.compares(slow, fast, {"--fail-if-slower", "5%"}).exit_code == 5);
    CHECK(user.compares(twice, fast, {"--fail-if-slower", "5%"}).exit_code == 0);
    CHECK(user.compares(slow, twice, {"--fail-if-slower", "5%"}).exit_code == 5);
  }

  TEST_CASE(
      "where nothing could be compared nothing is found to be fast enough, and a limit is a percentage") {
    const Owner user;
    const fs::path theirs = user.home / "theirs.db";
    auto foreign = sampled_trial("a", 512, 880, "theirs");
    foreign.environment.method = "complete-2";
    measure(theirs, "theirs", {foreign, sampled_trial("g", 2048, 7000, "theirs")});
    const auto nothing = user.compares(user.database, theirs, {"--fail-if-slower", "1%"});
    CHECK(nothing.exit_code == 3);
    CHECK(has(nothing.err, "no problem was measured by both in one environment"));
    const auto shown = user.compares(user.database, theirs);
    CHECK(shown.exit_code == 0);
    CHECK(has(shown.out,
              "not compared, their environments differ: 1 problem (matmul 1): method standard-1 (A), "
              "complete-2 (B)"));
    CHECK(has(shown.out, "only A: 1 problem (matmul 1)"));
    CHECK(has(shown.out, "only B: 1 problem (matmul 1)"));
    for (const char* wrong : {"1", "0.01", "one%", "-1%", "%"}) {
      CAPTURE(wrong);
      const auto refused = user.compares(user.database, theirs, {std::string("--fail-if-slower=") + wrong});
      CHECK(refused.exit_code == 2);
      CHECK(has(refused.err, "--fail-if-slower takes a percentage"));
    }
  }

  TEST_CASE("samples taken apart at different clocks leave room for what the clock did") {
    const Owner user;
    auto lowered = sampled_trial("i", 512, 960);
    lowered.outcome.measurement->sm_clock_mhz = 1000;
    auto steady = sampled_trial("j", 512, 900);
    steady.outcome.measurement->sm_clock_mhz = 1100;
    measure(user.database, "run", {lowered, steady});
    const auto apart = user.compares(user.id("i"), user.id("j"));
    CHECK(has(apart.out, "A and B cannot be told apart"));
    CHECK(has(apart.out, "at SM clocks of 1000 and 1100 MHz, which the interval allows for"));
  }

  TEST_CASE("databases and exports of others are compared without being changed or merged") {
    const Owner user;
    const fs::path theirs = user.home / "theirs.db";
    measure(theirs, "theirs",
            {sampled_trial("a", 512, 1200, "theirs"), sampled_trial("f", 1024, 7000, "theirs")});
    const std::string before = tuner::test::read_text(theirs);
    const auto compared = user.compares(user.database, theirs);
    INFO(compared.err);
    CHECK(compared.exit_code == 0);
    CHECK(has(compared.out, "A is faster at 1, slower at 0, tied at 1"));
    CHECK(tuner::test::read_text(theirs) == before);
    REQUIRE(user.types({"export", "-o", "mine.jsonl"}).exit_code == 0);
    const auto with_export = user.compares(user.home / "mine.jsonl", theirs);
    CHECK(with_export.exit_code == 0);
    CHECK(with_export.out == compared.out);
    REQUIRE(user.types({"export", "-o", "mine.jsonl.gz"}).exit_code == 0);
    CHECK(tuner::test::read_text(user.home / "mine.jsonl.gz").starts_with("\x1f\x8b"));
    CHECK(fs::file_size(user.home / "mine.jsonl.gz") < fs::file_size(user.home / "mine.jsonl") / 2);
    CHECK(user.compares(user.home / "mine.jsonl.gz", theirs).out == compared.out);
    REQUIRE(user.types({"report", "-o", "mine.csv.gz"}).exit_code == 0);  // the format is that of mine.csv
    std::ostringstream packed;
    packed << tuner::util::GzipInput(user.home / "mine.csv.gz").rdbuf();
    CHECK(packed.str() == user.types({"report", "--format", "csv"}).out);
    CHECK(has(user.types({"export"}).err, "6 trials exported"));

    write_text(user.home / "broken.jsonl", "{\"format\":\"tuner-export\",\"version\":1}\nnonsense\n");
    const auto broken = user.compares(user.database, user.home / "broken.jsonl");
    CHECK(broken.exit_code == 1);
    CHECK(has(broken.err, "broken.jsonl"));
    db_test::meddle(theirs, "DROP VIEW winner; CREATE VIEW winner AS SELECT id AS tuning_case FROM trials");
    CHECK(user.compares(user.database, theirs).out == compared.out);
    db_test::meddle(theirs, "DROP TABLE finals; CREATE VIEW finals AS SELECT 1");
    CHECK(user.compares(user.database, theirs).exit_code == 1);
  }

  TEST_CASE("fresh measures both again, in turn: a kernel against itself and against one that does more") {
    const User user;
    write_spinning(user);
    const auto run = user.types(
        {"run", "--kernel", "spin.toml", "--device", "cpu", "--sizes", "64", "--measure", "quick"});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    const std::string lines = user.types({"export"}).out;
    const std::string little = exported_id(lines, "\"ROUNDS\":1}");
    const std::string much = exported_id(lines, "\"ROUNDS\":8}");
    const std::vector<std::string> fresh = {"--fresh", "--kernel",  "spin.toml", "--device",
                                            "cpu",     "--measure", "quick"};
    const auto compare = [&](const std::string& a, const std::string& b) {
      std::vector<std::string> command = {"compare", a, b};
      command.insert(command.end(), fresh.begin(), fresh.end());
      return user.types(command);
    };
    const auto differ = compare(little, much);
    INFO(differ.err);
    CHECK(differ.exit_code == 0);
    CHECK(has(differ.out, "A is faster than B"));
    CHECK(has(differ.out, "rounds of both in turn"));
    CHECK(has(differ.out, "quick"));
    const auto same = compare(little, little);
    INFO(same.err);
    CHECK(same.exit_code == 0);
    const auto limited = [&](const std::string& a, const std::string& b, const char* format) {
      return user.types({"compare", a, b, "--fresh", "--device", "cpu", "--measure", "quick",
                         "--fail-if-slower", "50%", "--format", format});
    };
    CHECK(limited(much, little, "table").exit_code == 5);
    CHECK(limited(little, much, "table").exit_code == 0);
    CHECK(has(limited(much, little, "json").out, "\"judged\": \"too slow\""));
    const auto unnamed = user.types({"compare", little, much, "--fresh", "--device", "cpu"});
    CHECK_MESSAGE(has(unnamed.out, "A is faster than B"), unnamed.err);  // its spec is where the run read it
    CHECK(user.types({"export"}).out == lines);                          // nothing was stored

    write_text(user.home / "spin.cu", tuner::test::read_text(user.home / "spin.cu") + "// edited\n");
    const auto edited = compare(little, much);
    CHECK(edited.exit_code == 2);
    CHECK(has(edited.err, "cannot be made again"));
    std::filesystem::remove(user.home / "spin.toml");
    const auto unknown = user.types({"compare", little, much, "--fresh", "--device", "cpu"});
    CHECK(unknown.exit_code == 2);
    CHECK(has(unknown.err, "no kernel is called 'spin'"));
  }
}
