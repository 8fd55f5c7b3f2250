// What the program says to who types: help pages, mistakes, the version.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/e2e/help_pages.hpp"
#include "tests/e2e/on_terminal.hpp"
#include "tuner/util/text.hpp"

using tuner::test::all_commands;
using tuner::test::has;
using tuner::test::joined;
using tuner::test::lines_of;
using tuner::test::ProgramResult;
using tuner::test::shell;
using tuner::test::shown_on_terminal;
using tuner::test::User;

TEST_SUITE("tuner command line, typing") {
  TEST_CASE("no line of any help page is wider than the terminal, or than 80 columns where there is none") {
    User user;
    user.environment.erase("COLUMNS");
    const auto commands = all_commands(user);
    REQUIRE(commands.size() > 24);
    for (const auto& command : commands) {
      std::vector<std::string> words = command;
      words.emplace_back("--help");
      CAPTURE(joined(words));
      const auto help = user.types(words);
      CHECK(help.exit_code == 0);
      const auto check = [&](const std::string& text, std::size_t columns) {
        REQUIRE(has(text, "Usage: tuner"));
        std::size_t widest = 0;
        for (const std::string& line : lines_of(text)) {
          CAPTURE(joined(words));
          CAPTURE(line);
          CHECK(tuner::util::display_width(line) <= columns);
          CHECK_FALSE(line.ends_with(' '));
          widest = std::max(widest, tuner::util::display_width(line));
        }
        return widest;
      };
      check(help.out, 80);
      words.insert(words.begin(), TUNER_BINARY);
      for (const unsigned columns : {50U, 80U, 118U}) check(shown_on_terminal(words, columns), columns);
      if (joined(command) == "tuner run") CHECK(check(shown_on_terminal(words, 118), 118) > 110);
    }
  }

  TEST_CASE("a help page says the same at every width") {
    const auto words_of = [](const std::string& text) {
      std::istringstream in(text);
      std::string all;
      for (std::string word; in >> word;) {
        if (word != "\\") all += word;  // a command that goes on in the next line
      }
      return all;
    };
    for (const char* command : {"run", "slurm", "report", "compare"}) {
      const std::string wide = words_of(shown_on_terminal({TUNER_BINARY, command, "--help"}, 120));
      REQUIRE(wide.size() > 500);
      CHECK(words_of(shown_on_terminal({TUNER_BINARY, command, "--help"}, 40)) == wide);
    }
  }

  TEST_CASE("without a command the program says what there is, in groups") {
    const User user;
    const auto alone = user.types({});
    CHECK(alone.exit_code == 0);
    CHECK(alone.err.empty());
    CHECK(alone.out == user.types({"--help"}).out);
    CHECK(has(alone.out, "\nTune:\n  run "));
    CHECK(lines_of(alone.out).size() < 60);
  }

  TEST_CASE("`help COMMAND` is the command's help, and `help` that of the program") {
    const User user;
    CHECK(user.types({"help", "list", "runs"}).out == user.types({"list", "runs", "--help"}).out);
    CHECK(user.types({"help"}).out == user.types({"--help"}).out);
    CHECK(has(user.types({"help", "bset"}).err, "did you mean `best`?"));
  }

  TEST_CASE("a folder without specs hides no shipped kernel, nor the ceilings of a run") {
    const User user;
    for (const char* folder : {"matmul", "naive", "read", "ceiling_copy", "other"})
      std::filesystem::create_directories(user.home / folder);
    CHECK(has(user.types({"list", "kernels", "matmul"}).out, "register_tile"));
    CHECK(has(user.types({"list", "kernels", "naive"}).out, "naive"));
    CHECK(has(user.types({"list", "kernels", "other"}).err, "other holds no kernel spec"));
    const ProgramResult run =
        user.types({"run", "--kernel", "naive", "--device", "cpu", "--sizes", "16", "--budget", "1s"});
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    CHECK_FALSE(has(run.err, "is a folder"));
    tuner::test::write_text(user.home / "naive/own.toml", "[kernel]\n");
    const std::string mistakes = user.types({"list", "kernels", "naive"}).err;
    CHECK(has(mistakes, "naive is a folder of specs here"));
    CHECK(has(mistakes, "naive/own.toml"));
  }

  TEST_CASE("a mistyped kernel, family or device is told with what was meant") {
    const User user;
    REQUIRE(user.types({"import", TUNER_SOURCE_DIR "/docs/results/h200-2026-11-23-session/session.jsonl"})
                .exit_code == 0);
    for (const std::string command : {"best", "cover"}) {
      CHECK(has(user.types({command, "--kernel", "sgem"}).err, "did you mean `sgemm`?"));
      CHECK(has(user.types({command, "--family", "matmull"}).err, "did you mean `matmul`?"));
    }
    const ProgramResult known = user.types({"best", "7", "--kernel", "sgemm"});
    CHECK_FALSE(has(known.err, "did you mean"));
    CHECK(has(user.types({"run", "--device", "cuda0"}).err, "did you mean `cuda:0`?"));
    CHECK(has(user.types({"run", "--device", "cpu", "--kernel", "matmull"}).err, "did you mean `matmul`?"));
    CHECK(has(user.types({"run", "--device", "cpu", "--kernel", "naive,scan"}).err,
              "several are separated by blanks: naive scan"));
    CHECK(has(user.types({"run", "--sizes", "512-4096"}).err, "did you mean 512..4096?"));
  }

  TEST_CASE("a mistyped command or flag is told with what was meant") {
    const User user;
    const auto refused = [&](const std::vector<std::string>& words, const std::string& found,
                             const std::string& meant) {
      CAPTURE(joined(words));
      const auto result = user.types(words);
      CHECK(result.exit_code == 2);
      CHECK(result.out.empty());
      CHECK(has(result.err, found));
      CHECK(has(result.err, meant));
      CHECK(lines_of(result.err).size() == 2);
    };
    refused({"bset", "--size", "1024"}, "no command 'tuner bset'", "did you mean `best`?");
    refused({"list", "kernel"}, "no command 'tuner list kernel'", "did you mean `kernels`?");
    refused({"devices"}, "no command 'tuner devices'", "did you mean `tuner list devices`?");
    refused({"frobnicate"}, "no command 'tuner frobnicate'", "choose run, refresh, plan");
    refused({"list"}, "'tuner list' needs to be told what", "kernels, devices, strategies, runs or failures");
    refused({"run", "--progres"}, "'tuner run' has no flag --progres", "did you mean `--progress`?");
    refused({"run", "--progres=never"}, "has no flag --progres\n", "did you mean `--progress`?");
    refused({"list", "--db", "x", "runs"}, "--db is a flag of 'tuner list runs'",
            "write it behind: tuner list runs --db");
    refused({"run", "-x"}, "has no flag -x", "`tuner run --help`");
    refused({"list", "runs", "--bd", "x"}, "'tuner list runs' has no flag --bd", "did you mean `--db`?");
    refused({"show", "--dbb", "x"}, "has no flag --dbb", "did you mean `--db`?");  // and TRIAL is missing
    refused({"--versoin"}, "'tuner' has no flag --versoin", "did you mean `--version`?");
    refused({"status", "a", "b"}, "takes no 'b'", "`tuner status --help`");
    refused({"run", "scale.toml"}, "takes no 'scale.toml'", "--kernel scale.toml");
    refused({"run", "--zzzzzzzz"}, "has no flag --zzzzzzzz", "`tuner run --help`");
  }

  TEST_CASE("a mistyped variable is told, and one that is nobody's is not") {
    User user;
    user.environment["TUNER_DEVCE"] = "cpu";
    user.environment["TUNER_UPDATE_GOLDEN"] = "1";
    user.environment["TUNER_L2"] = "cold";
    user.environment["TUNER_SIZE"] = "";  // counts as unset
    const auto result = user.types({"config"});
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "TUNER_DEVCE"));
    CHECK(has(result.err, "did you mean TUNER_DEVICE?"));
    CHECK(lines_of(result.err).size() == 2);
    CHECK_FALSE(has(result.out, "DEVCE"));
  }

  TEST_CASE("the version names commit, toolkit and compiler") {
    const User user;
    const auto result = user.types({"--version"});
    CHECK(result.exit_code == 0);
    const auto lines = lines_of(result.out);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].starts_with("tuner "));
    const auto git = [&](const std::string& words) {
      return shell(user, "git -c safe.directory='*' -C '" TUNER_SOURCE_DIR "' " + words);
    };
    // The commit may be an older one: whoever commits after a build has not built what is new.
    const auto prefix = git("rev-parse --show-prefix");
    if (prefix.exit_code == 0 && prefix.out == "\n") {  // a repository's own folder, not one within
      const std::string commit = lines[1].substr(0, lines[1].find(" of "));
      REQUIRE(commit.starts_with("commit: "));
      CHECK(git("merge-base --is-ancestor " + commit.substr(8) + " HEAD").exit_code == 0);
      const std::string dated =
          git("log -1 --abbrev=12 '--format=commit: %h of %cs' " + commit.substr(8)).out;
      CHECK((lines[1] + "\n" == dated ||
             lines[1] + "\n" == dated.substr(0, dated.size() - 1) + ", with changes\n"));
    } else {
      CHECK(lines[1] == "commit: unknown");
    }
    CHECK(lines[2].starts_with("NVRTC: "));
    CHECK(lines[3].starts_with("compiler: "));
    CHECK(has(lines[3], "."));
    User elsewhere;
    elsewhere.environment["TUNER_NVRTC"] = elsewhere.home / "absent.so";
    const auto without = elsewhere.types({"--version"});
    CHECK(without.exit_code == 0);
    CHECK(has(without.out, "NVRTC: none here: NVRTC, CUDA's run-time compiler, could not be loaded\n"));
  }
}
