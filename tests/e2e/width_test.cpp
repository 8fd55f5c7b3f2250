// What people see of recorded sweeps of an H200, in terminals of several widths.
#include <doctest/doctest.h>

#include <filesystem>
#include <string_view>

#include "tests/e2e/many.hpp"
#include "tests/e2e/user.hpp"
#include "tests/support/golden.hpp"
#include "tuner/util/text.hpp"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner answers") {
  namespace {

  const std::string results = std::string(TUNER_SOURCE_DIR) + "/docs/results/";

  /// Someone with the recorded sweeps of docs/results as the database.
  struct Reader : User {
    Reader() {
      environment["TUNER_DB"] = home / "tuner.db";
      for (const char* name :
           {"h200-2026-11-22-libraries/overlap.jsonl", "h200-2026-11-21-notes/notes.jsonl"})
        REQUIRE(types({"import", results + name}).exit_code == 0);
    }
    ProgramResult reads(std::size_t columns, const std::vector<std::string>& command) {
      environment["COLUMNS"] = std::to_string(columns);
      return types(command);
    }
  };

  std::size_t widest(std::string_view text) {
    std::size_t widest = 0;
    while (!text.empty())
      widest = std::max(widest, tuner::util::display_width(tuner::util::split_first(text, "\n")));
    return widest;
  }

  /// The same of the lines that could be broken.
  std::size_t widest_of_words(std::string_view text) {
    std::size_t wide = 0;
    while (!text.empty()) {
      const std::string_view line = tuner::util::split_first(text, "\n");
      const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
      if (line.find(' ', begin) != std::string_view::npos) wide = std::max(wide, widest(line));
    }
    return wide;
  }

  struct Asked {
    const char* name;
    std::vector<std::string> command;
  };

  /// 45573b8 is the best at 2048 in the one recording.
  const std::vector<Asked> questions = {
      {"best", {"best", "--family", "matmul"}},
      {"best_2048", {"best", "2048", "--family", "matmul"}},
      {"top", {"best", "2048", "--family", "matmul", "--top", "4"}},
      {"show", {"show", "45573b8"}},
      {"compare", {"compare", "45573b8", "abd68dc"}},
      {"runs", {"list", "runs"}},
  };

  }  // namespace

  TEST_CASE("answers are laid out for terminals of 80, 100 and 140 columns") {
    Reader reader;
    for (const Asked& asked : questions) {
      for (const std::size_t columns : {80U, 100U, 140U}) {
        const std::string name = std::string(asked.name) + "_" + std::to_string(columns) + ".txt";
        CAPTURE(name);
        const ProgramResult shown = reader.reads(columns, asked.command);
        tests::check_golden("answers/" + name,
                            shown.out + (shown.err.empty() ? "" : "--- stderr\n" + shown.err));
      }
    }
  }

  TEST_CASE("no line of an answer is wider than the terminal, however narrow that is") {
    Reader reader;
    std::vector<Asked> all = questions;
    all.push_back({"kernels", {"list", "kernels"}});
    all.push_back({"strategies", {"list", "strategies"}});
    all.push_back({"config", {"config"}});
    all.push_back({"best of all", {"best"}});
    for (const Asked& asked : all) {
      for (const std::size_t columns : {50U, 66U, 80U, 97U, 120U, 200U}) {
        CAPTURE(asked.name);
        CAPTURE(columns);
        const ProgramResult shown = reader.reads(columns, asked.command);
        CHECK(widest(shown.out) <= columns);
        CHECK(widest(shown.out) > 0);
      }
    }
  }

  TEST_CASE("why an answer is the best is no wider where its hint names a database") {
    Reader reader;
    for (const std::size_t columns : {50U, 80U}) {
      const ProgramResult shown = reader.reads(columns, {"best", "2048", "--db", "tuner.db"});
      CHECK(has(words_of(shown.err), "`tuner explain 2048 --db tuner.db` says"));
      CHECK(widest_of_words(shown.err) <= columns);
    }
  }

  TEST_CASE("nothing that a sweep says is wider than the terminal, but for paths and what a compiler says") {
    User user;
    for (const std::size_t columns : {50U, 120U}) {
      user.environment["COLUMNS"] = std::to_string(columns);
      const std::string database = "w" + std::to_string(columns) + ".db";
      const std::vector<std::string> sweep = {"--kernel",  "reduction", "--device", "cpu",      "--sizes",
                                              "1000,2000", "--db",      database,   "--budget", "3"};
      for (const char* command : {"plan", "compile", "run", "check"}) {
        CAPTURE(columns);
        CAPTURE(command);
        std::vector<std::string> typed = {command};
        if (typed[0] == "check")
          typed.insert(typed.end(), {"reduction", "--device", "cpu"});
        else
          typed.insert(typed.end(), sweep.begin(), sweep.end());
        const ProgramResult said = user.types(typed);
        INFO(said.out, said.err);
        CHECK(said.exit_code == 0);
        CHECK(widest(said.out) <= columns);
        CHECK(widest_of_words(said.err) <= columns);
      }
    }
  }

  TEST_CASE("nothing that a sweep of several kernels says is wider than the terminal") {
    User user;
    user.measures_by_default();
    std::filesystem::copy(results + "h200-2026-11-23-session/session.jsonl", user.home / "session.jsonl");
    for (const std::size_t columns : {50U, 80U}) {
      user.environment["COLUMNS"] = std::to_string(columns);
      const ProgramResult said =
          user.types({"run", "--device", "replay:session.jsonl", "--sizes", "512", "--seed", "1", "--budget",
                      "60", "--db", std::to_string(columns) + ".db"});
      CAPTURE(columns);
      INFO(said.out, said.err);
      CHECK(said.exit_code == 0);
      CHECK(has(said.out, "the other kernels that were tuned:"));
      CHECK(widest(said.out) <= columns);
      CHECK(widest_of_words(said.err) <= columns);
    }
  }

  TEST_CASE("no line of a list of failures is wider than the terminal") {
    User user;
    const std::string faulty = std::string(TUNER_SOURCE_DIR) + "/tests/faulty/";
    CHECK(user.types({"run", "--kernel", faulty + "whole_tiles_only.toml", faulty + "syntax_error.toml",
                      "--device", "cpu", "--sizes", "100", "--db", "f.db"})
              .exit_code == 1);
    for (const std::size_t columns : {50U, 80U, 140U}) {
      user.environment["COLUMNS"] = std::to_string(columns);
      const ProgramResult said = user.types({"list", "failures", "--db", "f.db"});
      CAPTURE(columns);
      INFO(said.out, said.err);
      CHECK(has(said.out, "wrong_result"));
      CHECK(has(said.out, "compile_error"));
      CHECK(widest(said.out) <= columns);
      CHECK(widest(said.err) <= columns);
    }
  }

  TEST_CASE("forty kernels and forty-nine sizes are tables of a line a row at 80, 100 and 140 columns") {
    User user;
    tuner::test::write_kernels(user.home / "kernels", 40);
    const auto swept = user.types({"run", "--kernel", "kernels/scale_0.toml", "kernels/scale_1.toml",
                                   "--device", "cpu", "--sizes", "100..4900:100", "--measure", "quick",
                                   "--ceilings", "off", "--db", "many.db"});
    CHECK_MESSAGE(swept.exit_code == 0, swept.err);
    const std::vector<Asked> all = {
        {"best", {"best", "--db", "many.db"}},
        {"top", {"best", "--top", "5", "--db", "many.db"}},
        {"runs", {"list", "runs", "--db", "many.db"}},
        {"kernels", {"list", "kernels", "kernels"}},
        {"check", {"check", "kernels/scale_2.toml", "kernels/scale_3.toml", "--device", "cpu"}},
        {"config", {"config"}},
        {"plan",
         {"plan", "--kernel", "kernels/scale_1.toml", "--device", "cpu", "--sizes", "100..4900:100", "--db",
          "many.db"}},
        {"compare", {"compare", "many.db", "many.db"}},
    };
    for (const Asked& asked : all) {
      for (const std::size_t columns : {80U, 100U, 140U}) {
        CAPTURE(asked.name);
        CAPTURE(columns);
        user.environment["COLUMNS"] = std::to_string(columns);
        const ProgramResult shown = user.types(asked.command);
        INFO(shown.out, shown.err);
        CHECK(shown.exit_code == 0);
        CHECK(widest(shown.out) <= columns);
        CHECK(widest_of_words(shown.err) <= columns);
        // In a block every value stands behind its heading, on a line of its own.
        for (const char* heading :
             {"\n  median ", "\n  trial ", "\n  registers ", "\n  family ", "\n  from "})
          CHECK_FALSE(has(shown.out, heading));
      }
    }
  }

  TEST_CASE("what a table leaves out is named, and CSV and JSON have it") {
    User user;
    tuner::test::write_kernels(user.home / "kernels", 2);
    user.environment["COLUMNS"] = "80";
    const auto table = user.types({"list", "kernels", "kernels"});
    CHECK(has(words_of(table.out), "columns not shown: "));
    CHECK_FALSE(has(table.out, "UNROLL_OF_NOTHING(2)"));
    const auto csv = user.types({"list", "kernels", "kernels", "--format", "csv"});
    CHECK(csv.out.starts_with("kernel,family,sizes,types,parameters,description\r\n"));
    CHECK(has(csv.out, "scale_1,scale,N,float,BLOCK_SIZE(3) UNROLL_OF_NOTHING(2),"));
    const auto json = user.types({"list", "kernels", "kernels", "--format", "json"});
    CHECK(has(json.out, "\"schema_version\": 1"));
    CHECK(has(json.out, "\"parameters\": \"BLOCK_SIZE(3) UNROLL_OF_NOTHING(2)\""));
    CHECK(has(user.types({"config", "--format", "json"}).out, "\"variable\": \"TUNER_SIZES\""));
  }

  TEST_CASE("check says once what configurations have in common, and at which of many sizes there are none") {
    User user;
    tuner::test::write_kernels(user.home / "kernels", 1);
    const std::string spec = user.home / "kernels/scale_0.toml";
    const std::string text = tuner::test::read_text(spec);
    const auto checks = [&](const std::string& constraint, std::vector<std::string> more) {
      std::string edited = "constraints = [\"" + constraint + "\"]\n" + text;
      tuner::test::write_text(spec, edited.replace(edited.find("[32, 64, 128]"), 13, "[32]"));
      more.insert(more.begin(), {"check", "kernels", "--device", "cpu", "--sizes", "100..4900:100"});
      return user.types(more);
    };
    const auto compiled = checks("N > 0", {});
    INFO(compiled.out, compiled.err);
    CHECK(has(words_of(compiled.out),
              "scale_0: sound; 2 configurations at 49 sizes, the last 4900 float, 2 of"));
    CHECK(has(compiled.out, "\nUNROLL_OF_NOTHING=by_hand "));
    CHECK(has(compiled.out, "\nthe same in all rows: scale_0 BLOCK_SIZE=32\n"));
    const auto some = checks("N % 200 == 0", {"--no-compile"});
    CHECK(some.exit_code == 0);
    CHECK(has(words_of(some.out),
              "scale_0: sound; 2 configurations at 49 sizes, the last 4800 float; none at 25 of them: "
              "100, 300, 500 and 22 more"));
    const auto none = checks("N > 5000", {"--no-compile"});
    CHECK(none.exit_code == 1);
    CHECK(has(words_of(none.out),
              "scale_0: empty at all 49 sizes: its constraints leave no valid configuration"));
  }

  TEST_CASE("the command that resumes is broken so that a shell takes it as it stands") {
    User user;
    user.environment["COLUMNS"] = "60";
    const ProgramResult said =
        user.types({"run", "--kernel", "reduction", "--device", "cpu", "--sizes", "1000,2000,3000,4000,5000",
                    "--db", "a folder/of results.db", "--budget", "1"});
    INFO(said.err);
    const std::size_t begin = said.err.find("to go on:\n  TUNER_MEASURE=quick tuner run");
    REQUIRE(begin != std::string::npos);
    const std::string block = said.err.substr(begin);
    CHECK(widest(block) <= 60);
    CHECK(has(block, " \\\n"));
    CHECK(has(block, "'a folder/of results.db'"));
  }

  TEST_CASE("where there is no terminal and no wish an answer is 80 columns wide") {
    Reader reader;
    reader.environment.erase("COLUMNS");
    const std::string text = reader.types({"best", "--family", "matmul"}).out;
    CHECK(widest(text) <= 80);
    CHECK(widest(text) > 70);
  }

  TEST_CASE("a size may be given with or without its flag, but not two of them") {
    const Reader reader;
    const auto with = reader.types({"best", "--size", "2048"});
    CHECK(with.exit_code == 0);
    CHECK(with.out == reader.types({"best", "2048"}).out);
    const auto two = reader.types({"best", "2048", "--size", "1024"});
    CHECK(two.exit_code == 2);
    CHECK(has(two.err, "two sizes were given: 2048 and --size 1024"));
  }

  TEST_CASE("every family has its answer") {
    const Reader reader;
    const std::string text = reader.types({"best", "1024"}).out;
    CHECK(has(text, "matmul 1024: NVIDIA H200"));
    CHECK(has(text, "matmul_from_host 1024: NVIDIA H200"));
  }

  TEST_CASE("a condition narrows the answer, and one that nothing meets is no answer") {
    const Reader reader;
    const auto narrow = reader.types({"best", "1024", "--family", "matmul", "--where", "TILE_K == 16"});
    CHECK(narrow.exit_code == 0);
    CHECK(has(narrow.out, "TILE_K=16"));
    const auto nothing = reader.types({"best", "1024", "--family", "matmul", "--where", "registers < 2"});
    CHECK(nothing.exit_code == 3);
    CHECK(has(nothing.err, "with registers < 2"));
    const auto wrong = reader.types({"best", "1024", "--family", "matmul", "--where", "regs < 2"});
    CHECK(wrong.exit_code == 2);
    CHECK(has(wrong.err, "unknown name `regs` at column 1"));
  }

  TEST_CASE("a build gets what was measured at its size, or the nearest where it says so") {
    const Reader reader;
    const std::vector<std::string> flags = {"best", "1100", "--family", "matmul", "--format", "flags"};
    const auto refused = reader.types(flags);
    CHECK(refused.exit_code == 3);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, "size 1100 was never measured; the nearest is 1024"));
    CHECK(has(refused.err, "--nearest"));
    std::vector<std::string> nearest = flags;
    nearest.emplace_back("--nearest");
    const auto given = reader.types(nearest);
    CHECK(given.exit_code == 0);
    CHECK(given.out.starts_with("-DTUNER_KERNEL="));
    CHECK(has(given.err, "size 1100 was never measured"));
    const auto header =
        reader.types({"best", "1100", "--family", "matmul", "--format", "header", "--nearest"});
    CHECK(has(header.out, "// measured at the nearest size known, not at the one asked for"));
    CHECK(has(header.out, "#define TUNER_KERNEL "));
    const auto exact = reader.types({"best", "1024", "--family", "matmul", "--format", "flags"});
    CHECK(exact.exit_code == 0);
    CHECK(exact.out == given.out);
  }

  TEST_CASE("a build names its family where several answer, and one size") {
    const Reader reader;
    const auto several = reader.types({"best", "1024", "--format", "flags"});
    CHECK(several.exit_code == 2);
    CHECK(has(several.err, "families have an answer for size 1024"));
    const auto none = reader.types({"best", "--format", "header"});
    CHECK(none.exit_code == 2);
    CHECK(has(none.err, "is of one size"));
    CHECK(reader.types({"best", "1024", "--top", "2", "--format", "flags"}).exit_code == 2);
  }
}
