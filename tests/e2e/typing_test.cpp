#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/e2e/on_terminal.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/text.hpp"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::shown_on_terminal;
using tuner::test::User;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The commands that a help page lists: what stands after two blanks in each group that is not of options.
std::vector<std::string> commands_of(const std::string& help) {
  std::vector<std::string> commands;
  bool in_commands = false;
  for (const std::string& line : lines_of(help)) {
    if (line.ends_with(':') && line[0] != ' ') in_commands = line != "Options:" && line != "Positionals:";
    if (line.empty()) in_commands = false;
    if (in_commands && line.starts_with("  ") && line[2] != ' ' && line[2] != '-')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

/// Every command with those below it: {"list", "runs"}; the first is the program itself.
std::vector<std::vector<std::string>> all_commands(const User& user) {
  std::vector<std::vector<std::string>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> words = all[i];
    words.emplace_back("--help");
    for (const std::string& name : commands_of(user.types(words).out)) {
      words.back() = name;
      all.push_back(words);
    }
  }
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text = "tuner";
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

/// The long flags at the beginnings of a help page's entries.
std::set<std::string> flags_of(const std::string& help) {
  std::set<std::string> flags;
  for (const std::string& line : lines_of(help)) {
    if (!line.starts_with("  -")) continue;
    const std::string head = line.substr(0, line.find(' ', 2));
    const std::size_t at = head.find("--");
    REQUIRE(at != std::string::npos);
    flags.insert(head.substr(at, head.find(',', at) - at));
  }
  return flags;
}

ProgramResult shell(const User& user, const std::string& script) {
  return tuner::test::run_program({"/bin/bash", "--norc", "-c", script}, user.environment, user.home.path());
}

bool is_installed(const User& user, const std::string& program) {
  return shell(user, "command -v " + program).exit_code == 0;
}

/// What bash offers for the last of `words`, in order.
std::vector<std::string> offered(const User& user, const std::string& words) {
  const ProgramResult result =
      shell(user, "compopt() { echo \"$2\"; }\nsource tuner.bash\nCOMP_WORDS=(" + words +
                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tuner\nprintf '%s\\n' \"${COMPREPLY[@]}\"");
  CHECK(result.err.empty());
  std::vector<std::string> all = lines_of(result.out);
  std::erase(all, "");
  return all;
}

using Words = std::vector<std::string>;

}  // namespace

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
    refused({"run", "-x"}, "has no flag -x", "`tuner run --help`");
    refused({"list", "runs", "--bd", "x"}, "'tuner list runs' has no flag --bd", "did you mean `--db`?");
    refused({"show", "--dbb", "x"}, "has no flag --dbb", "did you mean `--db`?");  // and TRIAL is missing
    refused({"--versoin"}, "'tuner' has no flag --versoin", "did you mean `--version`?");
    refused({"status", "a", "b"}, "takes no 'b'", "`tuner status --help`");
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

  TEST_CASE("bash completes commands, flags and the words that a flag takes") {
    const User user;
    tuner::test::write_text(user.home / "tuner.bash", user.types({"completion", "bash"}).out);
    CHECK(offered(user, "tuner be") == Words{"best"});
    CHECK(offered(user, "tuner list r") == Words{"runs"});
    CHECK(offered(user, "tuner report --format ''") == Words{"md", "html", "csv", "json"});
    CHECK(offered(user, "tuner report --format = h") == Words{"html"});
    CHECK(offered(user, "tuner report --format =") == Words{"md", "html", "csv", "json"});
    CHECK(offered(user, "tuner run --retry") == Words{"--retry-failed"});
    CHECK(offered(user, "tuner run --l2 w") == Words{"warm"});
    CHECK(offered(user, "tuner run --db") == Words{"--db"});
    CHECK(offered(user, "tuner run --db ''") == Words{"default"});  // files, which the shell finds
    CHECK(offered(user, "tuner run --device replay : re") == Words{"default"});
    CHECK(offered(user, "tuner run --device c") == Words{"default", "cpu"});
    CHECK(offered(user, "tuner status ''") == Words{"dirnames"});
    CHECK(offered(user, "tuner completion f") == Words{"fish"});
    CHECK(offered(user, "tuner cache --cache-dir list p") == Words{"prune"});  // a value is no command
    CHECK(offered(user, "tuner list kernels l").empty());
    CHECK(offered(user, "tuner w").empty());  // what is not for people
  }

  TEST_CASE("what help shows is what every shell completes, and what the manual page tells") {
    const User user;
    tuner::test::write_text(user.home / "tuner.bash", user.types({"completion", "bash"}).out);
    const std::string zsh = user.types({"completion", "zsh"}).out;
    const std::string fish = user.types({"completion", "fish"}).out;
    std::string manual = user.types({"manual"}).out;
    for (std::size_t at = 0; (at = manual.find("\\-", at)) != std::string::npos;) manual.erase(at, 1);
    for (const auto& command : all_commands(user)) {
      std::vector<std::string> words = command;
      words.emplace_back("--help");
      const std::set<std::string> flags = flags_of(user.types(words).out);
      REQUIRE(flags.contains("--help"));
      const std::string path = joined(command);
      CAPTURE(path);
      const Words all = offered(user, path + " --");
      CHECK(std::set<std::string>(all.begin(), all.end()) == flags);
      std::string function = "\n_" + path + "() {";
      std::replace(function.begin(), function.end(), ' ', '_');
      function.replace(function.find("()_{"), 4, "() {");
      const std::size_t begin = zsh.find(function);
      REQUIRE(begin != std::string::npos);
      const std::string own_zsh = zsh.substr(begin, zsh.find("\n}\n", begin) - begin);
      const std::size_t section =
          command.empty() ? manual.find(".SH OPTIONS") : manual.find("\n.SS " + path + "\n");
      REQUIRE(section != std::string::npos);
      const std::string own_manual = manual.substr(section, manual.find("\n.S", section + 1) - section);
      for (const std::string& flag : flags) {
        CAPTURE(flag);
        CHECK((has(own_zsh, flag + "[") || has(own_zsh, flag + "=[")));
        CHECK(has(fish, "'__tuner_at" + path.substr(5) + "'"));
        CHECK(has(own_manual, "\\fB" + flag + "\\fR"));
        const std::string line_begin = "complete -c tuner -n '__tuner_at" + path.substr(5) + "'";
        bool in_fish = false;
        for (const std::string& line : lines_of(fish)) {
          in_fish =
              in_fish || (line.starts_with(line_begin) && has(line + ' ', " -l " + flag.substr(2) + ' '));
        }
        CHECK(in_fish);
      }
    }
  }

  TEST_CASE("zsh and fish read what is made for them, where they are") {
    const User user;
    tuner::test::write_text(user.home / "_tuner", user.types({"completion", "zsh"}).out);
    tuner::test::write_text(user.home / "tuner.fish", user.types({"completion", "fish"}).out);
    if (is_installed(user, "zsh")) {
      const auto result = shell(user, "zsh -n _tuner");
      CHECK(result.exit_code == 0);
      CHECK(result.err.empty());
    } else {
      MESSAGE("no zsh here");
    }
    if (is_installed(user, "fish")) {
      const auto ask = [&](const std::string& line) {
        const auto result =
            shell(user, "fish --no-config -c \"source tuner.fish; complete -C '" + line + "'\"");
        CHECK(result.err.empty());
        return result.out;
      };
      CHECK(has(ask("tuner be"), "best\t"));
      CHECK(lines_of(ask("tuner report --format ")).size() == 4);
      CHECK(has(ask("tuner list r"), "runs\t"));
      CHECK(has(ask("tuner run --prog"), "--progress\t"));
      CHECK_FALSE(has(ask("tuner best --prog"), "--progress"));
      CHECK_FALSE(has(ask("tuner list kernels "), "runs\t"));
    } else {
      MESSAGE("no fish here");
    }
  }

  TEST_CASE("shells complete kernels, strategies, sizes and trials, as they are typed there") {
    User user;
    user.environment["TUNER_DB"] = user.home / "tuner.db";
    REQUIRE(user.types({"import", TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-libraries/overlap.jsonl"})
                .exit_code == 0);
    for (const std::string shell : {"bash", "zsh", "fish"})
      tuner::test::write_text(user.home / ("tuner." + shell), user.types({"completion", shell}).out);
    const std::map<std::string, Words> shells = {{"bash", {"/bin/bash", "--norc", "--noprofile", "-i"}},
                                                 {"zsh", {"/usr/bin/zsh", "-f", "-i"}},
                                                 {"fish", {"/usr/bin/fish", "--no-config", "-i"}}};
    const std::map<std::string, std::string> begins = {
        {"bash", "source tuner.bash\n"},
        {"zsh", "autoload -Uz compinit; compinit -u -D; source ./tuner.zsh\n"},
        {"fish", "source tuner.fish\n"}};
    const std::map<std::string, std::string> variables = {
        {"HOME", user.home.path()}, {"TUNER_DB", user.environment["TUNER_DB"]},    {"TERM", "xterm"},
        {"NO_COLOR", "1"},          {"PATH", user.home.path() + ":/usr/bin:/bin"}, {"PS1", "$ "},
        {"INPUTRC", "/dev/null"}};
    std::filesystem::create_symlink(TUNER_BINARY, user.home / "tuner");
    const std::vector<std::pair<std::string, std::string>> lines = {
        {"tuner run --kernel sgem", "tuner run --kernel sgemm"},
        {"tuner run --strategy gene", "tuner run --strategy genetic"},
        {"tuner best 204", "tuner best 2048"},
        {"tuner show 45573", "tuner show 45573b8"},
        {"tuner show 45573b8 abd68", "tuner show 45573b8 abd68dc"},
        {"tuner show fffff", "tuner show fffff"},
        {"tuner best --gpu NV", "tuner best --gpu NVIDIA"},
        {"tuner best --db absent.db 204", "tuner best --db absent.db 204"}};
    for (const auto& [shell, command] : shells) {
      CAPTURE(shell);
      if (access(command.front().c_str(), X_OK) != 0) {
        MESSAGE("no " << shell << " here");
        continue;
      }
      for (const auto& [typed, completed] : lines) {
        CAPTURE(typed);
        const std::string shown = tuner::test::completed_line(
            command, "cd " + user.home.path() + "\n" + begins.at(shell), typed, variables);
        CHECK(tuner::util::trimmed(shown).starts_with(completed));
        if (typed == completed) CHECK(tuner::util::trimmed(shown) == typed);
      }
    }
  }

  TEST_CASE("what a shell asks is answered by the line's own database, at once, and without a word else") {
    User user;
    const auto asks = [&](std::vector<std::string> words) {
      words.insert(words.begin(), "words");
      const auto result = user.types(words);
      CHECK(result.exit_code == 0);
      CHECK(result.err.empty());
      return result.out;
    };
    REQUIRE(user.types({"import", "--db", "a b.db",
                        TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-libraries/overlap.jsonl"})
                .exit_code == 0);
    CHECK(asks({"trials", "--", "45573", "tuner", "show"}).empty());
    for (const Words& flag :
         std::vector<Words>{{"--db", "a b.db"}, {"--db=a b.db"}, {"--db", "=", "a b.db"}}) {
      Words words = {"trials", "--", "45573", "tuner", "show"};
      words.insert(words.end(), flag.begin(), flag.end());
      CHECK(asks(words) == "45573b8\tsgemm 2048 314.8 µs\n");
    }
    const std::string best = asks({"trials", "--", "", "tuner", "show", "--db", "a b.db"});
    CHECK(lines_of(best).size() == 5);  // the best of each size
    CHECK(has(best, "b4bbf30\tsgemm 1024 44.06 µs\n"));
    CHECK(asks({"trials", "--", "xyz", "tuner", "show", "--db", "a b.db"}).empty());
    CHECK(asks({"trials", "--", "45573", "tuner", "show", "--db", "notes.txt"}).empty());
    CHECK(has(asks({"kernels", "--", "", "tuner"}), "sgemm\t"));
    CHECK(has(asks({"kernels", "--", "", "tuner"}), "matmul\ta family\n"));
    CHECK(asks({"sizes", "--", "1", "tuner", "--db", "a b.db"}) == "1024\tmeasured\n");
    CHECK(asks({"nonsense", "--", ""}).empty());
    CHECK(asks({"trials"}).empty());
  }

  TEST_CASE("the manual page is one that man reads without a warning") {
    const User user;
    const std::string manual = user.types({"manual"}).out;
    CHECK(has(manual, "\n.nf\ntuner run \\-\\-sizes 512..4096\n.fi\n"));  // an example stands as it is typed
    tuner::test::write_text(user.home / "tuner.1", manual);
    if (!is_installed(user, "groff")) {
      MESSAGE("no groff here");
      return;
    }
    const auto page = shell(user, "groff -man -k -ww -Tutf8 -P-cbou tuner.1");
    CHECK(page.exit_code == 0);
    CHECK(page.err.empty());
    CHECK(has(page.out, "TUNER(1)"));
    CHECK(has(page.out, "--progress"));
    CHECK(has(page.out, "TUNER_DEVICE"));
  }

  TEST_CASE("merging what is no database of tuner's says what could be, and makes nothing") {
    const User user;
    const auto refused = [&](const std::string& file, const std::string& says, const std::string& next) {
      CAPTURE(file);
      const auto result = user.types({"merge", file, "--db", "own.db"});
      CHECK(result.exit_code == 1);
      CHECK(has(result.err, file));
      CHECK(has(result.err, says));
      CHECK(has(result.err, next));
      CHECK_FALSE(has(result.err, "tuner run"));
      CHECK(access((user.home / "own.db").c_str(), F_OK) != 0);
    };
    refused("nonsense.db", "there is no such file", "check the path");
    tuner::test::write_text(user.home / "notes.txt", std::string(4096, 'x'));
    refused("notes.txt", "not an SQLite database", "`tuner import --db own.db`");
    tuner::test::write_text(user.home / "empty.db", "");
    refused("empty.db", "the file is empty", "nothing in it to merge");
    tuner::test::write_text(user.home / "results.jsonl", "{\"tuner_export\": 1}\n");
    refused("results.jsonl", "begins as an export does", "`tuner import results.jsonl --db own.db`");
    if (is_installed(user, "sqlite3")) {
      REQUIRE(shell(user, "sqlite3 other.db 'CREATE TABLE t(x)' && sqlite3 blank.db 'VACUUM'").exit_code ==
              0);
      refused("other.db", "a database of another program", "choose another file");
    }
  }
}
