// Which configurations to ship, asked of databases with many sizes, one, none, two families and two GPUs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using db_test::timed_trial;
using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
using tuner::test::words_of;
namespace model = tuner::model;

TEST_SUITE("tuner cover") {
  namespace {

  struct Tuner : User {
    Tuner() { environment["TUNER_DB"] = home / "tuner.db"; }

    /// Three configurations: `small` is the best up to 1024, `large` beyond, and the default is never.
    void measures(const std::vector<std::int64_t>& sizes, const std::string& device = "NVIDIA H200",
                  const std::string& family = "matmul") const {
      db::ResultStore store(home / "tuner.db");
      model::RunRecord run = db_test::sample_run(device + family);
      run.device.name = device;
      store.begin_run(run);
      for (const std::int64_t size : sizes) {
        const double ns = static_cast<double>(size) * 100;
        const auto record = [&](const std::string& name, double times_as_long, model::TrialStatus status) {
          model::TrialRecord trial =
              timed_trial(fmt::format("{} {} {} {}", name, size, device, family), size, ns * times_as_long);
          trial.configuration = model::Configuration({{"NAME", model::Value(name)}});
          trial.environment.device = device;
          trial.problem.family = family;
          trial.is_default = name == "untuned";
          trial.outcome.status = status;
          if (status == model::TrialStatus::wrong_result) trial.outcome.measurement.reset();
          trial.run = run.id;
          store.record(trial);
        };
        using Status = model::TrialStatus;
        record("small", size <= 1024 ? 1 : 1.3, Status::ok);
        record("large", size <= 1024 ? 1.2 : 1, Status::ok);
        record("untuned", 2, Status::ok);
        record("dropped", 1.5, Status::dropped);
        record("wrong", 0.1, Status::wrong_result);
      }
    }
    json said(std::vector<std::string> more = {}) const {
      more.insert(more.begin(), {"cover", "--format", "json"});
      const ProgramResult result = types(more);
      CAPTURE(result.err);
      REQUIRE(result.exit_code == 0);
      return json::parse(result.out);
    }
  };

  std::vector<std::int64_t> fifty() {
    std::vector<std::int64_t> sizes;
    for (std::int64_t i = 1; i <= 50; ++i) sizes.push_back(64 * i);
    return sizes;
  }

  }  // namespace

  TEST_CASE("fifty sizes: the set, the rule, and what is lost there and elsewhere") {
    Tuner tuner;
    tuner.measures(fifty());
    const json answer = tuner.said();
    CHECK(answer["exact"] == true);
    REQUIRE(answer["configurations"].size() == 2);
    CHECK(answer["configurations"][0]["configuration"]["NAME"] == "small");
    CHECK(answer["configurations"][0]["sizes"] == 16);
    CHECK(answer["rule"]["if"] == "M <= 1060");
    CHECK(answer["rule"]["then"] == "A");
    CHECK(answer["rule"]["else"] == "B");
    CHECK(answer["worst_loss"] == 0);
    CHECK(answer["default"]["mean_loss"] == 1);
    CHECK(answer["bounds"][0]["share"] == 0.9);
    CHECK(answer["bounds"][0]["loss"] < 0.31);
    CHECK(answer["sizes"].size() == 50);
    const ProgramResult table = tuner.types({"cover"});
    CHECK(has(table.out, "2 configurations within 2 % of the best: no fewer do"));
    CHECK(has(table.out, "  if M <= 1060: A\n  else: B\n"));
    CHECK(has(table.out, "the default of register_tile alone: 100 % lost in the mean"));
    CHECK(has(table.out, "at 9 of 10"));
    CHECK_FALSE(has(table.out, "dropped"));
    CHECK_FALSE(has(table.out, "wrong"));
  }

  TEST_CASE("no line is wider than the terminal") {
    Tuner tuner;
    tuner.measures(fifty());
    tuner.environment["COLUMNS"] = "80";
    std::istringstream lines(tuner.types({"cover"}).out);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };  // UTF-8
      CHECK(std::count_if(line.begin(), line.end(), begins) <= 80);
    }
  }

  TEST_CASE("a set of so many, and weights that decide which") {
    Tuner tuner;
    tuner.measures({512, 1024, 2048});
    const auto only = [&](const std::vector<std::string>& more) {
      const json answer = tuner.said(more);
      REQUIRE(answer["configurations"].size() == 1);
      return answer["configurations"][0]["configuration"]["NAME"].get<std::string>();
    };
    CHECK(only({"--at-most", "1"}) == "small");
    CHECK(only({"--within", "30%"}) == "small");
    std::ofstream(tuner.home / "weights") << "# calls\n512 1\n\n2048x2048x2048 9  # most\n4096 3\n";
    CHECK(only({"--at-most", "1", "--weights", tuner.home / "weights"}) == "large");
    const ProgramResult table = tuner.types({"cover", "--weights", tuner.home / "weights"});
    CHECK(has(table.err, "1 size in"));
    CHECK(has(table.err, "was never measured"));
    CHECK(has(table.out, "too few sizes to say: 3 were measured"));
  }

  TEST_CASE("the one configuration that loses least is told with what it loses at each size") {
    const Tuner user;
    user.measures({512, 768, 1024, 2048});
    const ProgramResult run = user.types({"best", "--common"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "NAME=small"));
    CHECK(has(words_of(run.out), "1024 102.4 µs† 0 %"));
    CHECK(has(words_of(run.out), "2048 266.2 µs† 30 %"));
    const json said = json::parse(user.types({"best", "--common", "--format", "json"}).out);
    CHECK(said == user.said({"--at-most", "1"}));
    const ProgramResult both = user.types({"best", "1024", "--common"});
    CHECK(both.exit_code == 2);
    CHECK(has(both.err, "--common is of all sizes"));
  }

  TEST_CASE("each size has the time of its own trial, marked where that was dropped early") {
    const User user;
    const std::string recording = TUNER_SOURCE_DIR "/docs/results/h100-2026-11-23-search/whole29.jsonl.gz";
    const ProgramResult run = user.types({"best", "--common", "--db", recording});
    CHECK(has(words_of(run.out), "3456 ~2.864 ms 92.9 %"));
    CHECK(has(run.out, "~ approximate: dropped after a few samples"));
  }

  TEST_CASE("a parameter is explained by what each value costs at each size, dropped trials too") {
    const Tuner user;
    user.measures({512, 768, 1024, 2048});
    const ProgramResult run = user.types({"explain", "NAME"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    const std::string said = words_of(run.out);
    CHECK(has(said, "\n small 3 7.5 % 30 % 2048 4\n"));
    CHECK(has(said, "\n large 1 15 % 20 % 512 4\n"));
    CHECK(has(said, "\ndropped 0 ~50 % ~50 % 512 4\n"));
    CHECK(has(said, "the fastest with this value was dropped early"));
    CHECK(!has(said, "wrong"));
    const json all = json::parse(user.types({"explain", "NAME", "--format", "json"}).out);
    REQUIRE(all["sizes"].size() == 4);
    for (const json& one : all["sizes"][3]["values"]) {
      const double loss = one["value"] == "small"     ? 0.3
                          : one["value"] == "large"   ? 0
                          : one["value"] == "dropped" ? 0.5
                                                      : 1;
      CHECK(one["loss"].get<double>() == doctest::Approx(loss));
      CHECK(one["approximate"] == (one["value"] == "dropped"));
      CHECK(one["trials"] == 1);
    }
    const ProgramResult mistyped = user.types({"explain", "NAMES"});
    CHECK(mistyped.exit_code == 2);
    CHECK(has(mistyped.err, "did you mean `NAME`?"));
  }

  TEST_CASE("what `best` answers loses nothing, though a tied finalist may have been a little faster") {
    const User user;
    REQUIRE(user.types({"import", TUNER_SOURCE_DIR "/docs/results/h200-2026-11-23-session/session.jsonl"})
                .exit_code == 0);
    const std::string best = user.types({"best", "2048", "--kernel", "sgemm"}).out;
    REQUIRE(has(best, "STAGES=4"));
    const json all =
        json::parse(user.types({"explain", "STAGES", "--kernel", "sgemm", "--format", "json"}).out);
    for (const json& value : all["sizes"][2]["values"])
      if (value["value"] == 4) CHECK(value["loss"] == 0);
  }

  TEST_CASE("a bad line of weights is named by its number") {
    Tuner tuner;
    tuner.measures({512, 1024});
    const auto refused = [&](const std::string& text) {
      std::ofstream(tuner.home / "weights") << text;
      const ProgramResult result = tuner.types({"cover", "--weights", tuner.home / "weights"});
      CHECK(result.exit_code == 2);
      CHECK(result.out.empty());
      return result.err;
    };
    CHECK(has(refused("512 1\n1024\n"), "weights:2: one word instead of a size and its weight"));
    CHECK(has(refused("512 1\n\nbig 3\n"), "weights:3: "));
    CHECK(has(refused("512..1024 1\n"), "weights:1: '512..1024' is no single size"));
    CHECK(has(refused("512x512 1\n"), "weights:1: '512x512' has 2 dimensions, not 3"));
    CHECK(has(refused("512 -1\n"), "weights:1: '-1' is no weight"));
    CHECK(has(refused("512 1\n512x512x512 2\n"), "weights:2: size 512x512x512 is there twice"));
    CHECK(has(refused("4096 1\n"), "gives no measured size a weight"));
    CHECK(has(tuner.types({"cover", "--weights", "/nowhere"}).err, "cannot read /nowhere"));
    CHECK(tuner.types({"cover", "--within", "much"}).exit_code == 2);
    CHECK(tuner.types({"cover", "--within", "2%", "--at-most", "2"}).exit_code == 2);
  }

  TEST_CASE("an empty database, and one size") {
    Tuner tuner;
    tuner.measures({});
    const ProgramResult nothing = tuner.types({"cover"});
    CHECK(nothing.exit_code == 3);
    CHECK(has(nothing.err, "tuner run --sizes"));
    tuner.measures({1024});
    const ProgramResult one = tuner.types({"cover"});
    CHECK(one.exit_code == 0);
    CHECK(has(one.out, "1 configuration within 2 % of the best"));
    CHECK(has(one.out, "too few sizes to say: 1 was measured, and 5 are needed"));
  }

  TEST_CASE("two families, two GPUs: the choices are named") {
    Tuner tuner;
    tuner.measures({512, 1024, 2048});
    tuner.measures({512, 1024}, "NVIDIA B200");
    const ProgramResult gpus = tuner.types({"cover"});
    CHECK(gpus.exit_code == 2);
    CHECK(has(gpus.err, "--gpu (NVIDIA B200 | NVIDIA H200)"));
    CHECK(tuner.said({"--gpu", "h200"})["environment"]["device"] == "NVIDIA H200");
    CHECK(tuner.said({"--gpu", "b200"})["sizes"].size() == 2);
    CHECK(tuner.types({"cover", "--gpu", "A100"}).exit_code == 3);
    tuner.measures({512}, "NVIDIA H200", "stencil");
    const ProgramResult families = tuner.types({"cover"});
    CHECK(families.exit_code == 2);
    CHECK(has(families.err, "several families have answers: matmul, stencil"));
    CHECK(has(families.err, "--family matmul"));
    CHECK(tuner.said({"--family", "stencil"})["sizes"].size() == 1);
  }

  TEST_CASE("a size that was never measured is answered by the rule, with its bound") {
    Tuner tuner;
    tuner.measures(fifty());
    // The nearest size is 1088, which `large` suits; the rule parts them at 1060.
    const ProgramResult table = tuner.types({"best", "1058"});
    CHECK(has(words_of(table.out), "configuration NAME=small"));
    CHECK(has(table.err,
              "size 1058 was never measured here; the rule of `tuner cover` over 50 sizes picks this"));
    CHECK(has(table.err, "at 9 of 10"));
    const json answer = json::parse(tuner.types({"best", "1058", "--format", "json"}).out)["answers"][0];
    CHECK(answer["exact"] == false);
    CHECK(answer["by_rule"][0]["share"] == 0.9);
    const ProgramResult flags = tuner.types({"best", "1058", "--format", "flags"});
    CHECK(flags.exit_code == 0);
    CHECK(has(flags.out, "small"));
    CHECK(has(flags.err, "the rule of `tuner cover`"));
    CHECK(has(words_of(tuner.types({"best", "1058", "--nearest"}).out), "configuration NAME=large"));
    CHECK(has(words_of(tuner.types({"best", "1088"}).out), "configuration NAME=large"));
  }

  TEST_CASE("few sizes make no rule, and the nearest answers as before") {
    Tuner tuner;
    tuner.measures({512, 1024, 2048});
    CHECK(has(tuner.types({"best", "1100"}).err, "size 1100 was never measured here; the nearest is 1024"));
    CHECK(tuner.types({"best", "1100", "--format", "flags"}).exit_code == 3);
  }

  TEST_CASE("a header needs the spec as it was measured") {
    Tuner tuner;
    tuner.measures({512, 1024});
    const ProgramResult header = tuner.types({"cover", "--format", "header"});
    CHECK(header.exit_code == 1);
    CHECK(header.out.empty());
    CHECK(has(header.err, "the spec of register_tile is not at hand, or has changed since it was measured"));
  }

  TEST_CASE("from a sweep to a header that compiles") {
    User user;
    const ProgramResult swept =
        user.types({"run", "--device", "cpu", "--kernel", "reduction", "--sizes", "1000,4096", "--budget",
                    "6", "--ceilings", "off", "--baselines", "off"});
    CAPTURE(swept.err);
    REQUIRE(swept.exit_code == 0);
    const ProgramResult header = user.types({"cover", "--format", "header"});
    CAPTURE(header.err);
    REQUIRE(header.exit_code == 0);
    std::ofstream(user.home / "tuned.hpp") << header.out;
    std::ofstream(user.home / "use.cpp")
        << "#include \"tuned.hpp\"\nstatic_assert(tuned::sum::select(4096) >= 0, \"\");\n"
           "static_assert(tuned::sum::A::step(0, {4096}, {}).block.x > 0, \"\");\n";
    const ProgramResult built = tuner::test::run_program(
        {"/bin/sh", "-c", "c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only use.cpp"},
        {{"PATH", std::getenv("PATH")}}, user.home.path());
    CAPTURE(built.err);
    CHECK(built.exit_code == 0);
  }
}
