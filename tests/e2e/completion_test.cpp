// What shells complete, and the manual page, hold what help pages show.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/e2e/help_pages.hpp"
#include "tests/e2e/on_terminal.hpp"
#include "tuner/util/text.hpp"

using tuner::test::all_commands;
using tuner::test::has;
using tuner::test::is_installed;
using tuner::test::joined;
using tuner::test::lines_of;
using tuner::test::ProgramResult;
using tuner::test::shell;
using tuner::test::User;

TEST_SUITE("tuner command line, completion") {
  namespace {

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

  /// What bash offers for the last of `words`, in order.
  std::vector<std::string> offered(const User& user, const std::string& words) {
    const ProgramResult result = shell(
        user, "PATH=$PWD:$PATH\ncompopt() { echo \"$2\"; }\nsource tuner.bash\nCOMP_WORDS=(" + words +
                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tuner\nprintf '%s\\n' \"${COMPREPLY[@]}\"");
    CHECK(result.err.empty());
    std::vector<std::string> all = lines_of(result.out);
    std::erase(all, "");
    return all;
  }

  using Words = std::vector<std::string>;

  /// Someone whose shells find the program by its name, and what it makes for them.
  struct Typist : User {
    Typist() {
      std::filesystem::create_symlink(TUNER_BINARY, home / "tuner");
      for (const std::string shell : {"bash", "zsh", "fish"})
        tuner::test::write_text(home / ("tuner." + shell), types({"completion", shell}).out);
    }
  };

  }  // namespace

  TEST_CASE("bash completes commands, flags and the words that a flag takes") {
    const Typist user;
    CHECK(offered(user, "tuner be") == Words{"best"});
    CHECK(offered(user, "tuner list r") == Words{"runs"});
    CHECK(offered(user, "tuner report --format ''") == Words{"md", "html", "csv", "json"});
    CHECK(offered(user, "tuner report --format = h") == Words{"html"});
    CHECK(offered(user, "tuner report --format =") == Words{"md", "html", "csv", "json"});
    CHECK(offered(user, "tuner run --retry") == Words{"--retry-failed"});
    CHECK(offered(user, "tuner run --retry-failed --retry").empty());  // once is enough
    CHECK(offered(user, "tuner list --he") == Words{"--help"});
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
    const Typist user;
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
      const std::size_t section =
          command.empty() ? manual.find(".SH OPTIONS") : manual.find("\n.SS " + path + "\n");
      REQUIRE(section != std::string::npos);
      const std::string own_manual = manual.substr(section, manual.find("\n.S", section + 1) - section);
      for (const std::string& flag : flags) {
        CAPTURE(flag);
        CHECK(has(own_manual, "\\fB" + flag + "\\fR"));
      }
    }
  }

  TEST_CASE("zsh and fish read what is made for them, where they are") {
    const Typist user;
    if (is_installed(user, "zsh")) {
      const auto result = shell(user, "zsh -n tuner.zsh");
      CHECK(result.exit_code == 0);
      CHECK(result.err.empty());
    } else {
      MESSAGE("no zsh here");
    }
    if (is_installed(user, "fish")) {
      const auto ask = [&](const std::string& line) {
        const auto result = shell(
            user, "PATH=$PWD:$PATH fish --no-config -c \"source tuner.fish; complete -C '" + line + "'\"");
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
    Typist user;
    user.environment["TUNER_DB"] = user.home / "tuner.db";
    REQUIRE(user.types({"import", TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-libraries/overlap.jsonl"})
                .exit_code == 0);
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
    const std::vector<std::pair<std::string, std::string>> lines = {
        {"tuner run --kernel sgem", "tuner run --kernel sgemm"},
        {"tuner bes", "tuner best"},
        {"tuner run --retry", "tuner run --retry-failed"},
        {"tuner run --l2=wa", "tuner run --l2=warm"},
        {"tuner run --db tuner.ba", "tuner run --db tuner.bash"},
        {"tuner run --db=tuner.ba", "tuner run --db=tuner.bash"},
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
      words.insert(words.begin(), {"words", "--"});
      const auto result = user.types(words);
      CHECK(result.exit_code == 0);
      CHECK(result.err.empty());
      return result.out;
    };
    REQUIRE(user.types({"import", "--db", "a b.db",
                        TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-libraries/overlap.jsonl"})
                .exit_code == 0);
    CHECK(asks({"45573", "tuner", "show"}).empty());
    for (const Words& flag :
         std::vector<Words>{{"--db", "a b.db"}, {"--db=a b.db"}, {"--db", "=", "a b.db"}}) {
      Words words = {"45573", "tuner", "show"};
      words.insert(words.end(), flag.begin(), flag.end());
      CHECK(asks(words) == "45573b8\tsgemm 2048 314.8 µs\n");
    }
    const std::string best = asks({"", "tuner", "show", "--db", "a b.db"});
    CHECK(lines_of(best).size() == 5);  // the best of each size
    CHECK(has(best, "b4bbf30\tsgemm 1024 44.06 µs\n"));
    CHECK(asks({"xyz", "tuner", "show", "--db", "a b.db"}).empty());
    CHECK(asks({"45573", "tuner", "show", "--db", "notes.txt"}).empty());
    CHECK(has(asks({"", "tuner", "run", "--kernel"}), "sgemm\t"));
    CHECK(has(asks({"", "tuner", "run", "--kernel"}), "matmul\ta family\n"));
    CHECK(has(asks({"", "tuner", "run", "--kernel"}), ":files\n"));
    CHECK(asks({"1", "tuner", "best", "--db", "a b.db"}) == "1024\tmeasured\n");
    CHECK(asks({"--l2=w", "tuner", "run"}) == "--l2=warm\t\n");
    CHECK(asks({"--format=k", "tuner", "export"}) == "--format=kernel-tuner\t\n--format=kernel-launcher\t\n");
    REQUIRE(user.types({"import", "--db", "session.db",
                        TUNER_SOURCE_DIR "/docs/results/h200-2026-11-23-session/session.jsonl"})
                .exit_code == 0);
    CHECK(lines_of(asks({"", "tuner", "best", "--db", "session.db"})).size() == 4);  // of no ceiling
    CHECK(asks({"--nonsense=", "tuner", "run"}).empty());
    CHECK(asks({"", "nonsense", "of", "somebody"}).starts_with("run\t"));
    CHECK(asks({"--ver"}) == "--version\tSay the version, its commit, the toolkit and the compiler\n");
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
}
