// Colours, quiet, the pager, links and progress on a real terminal, in a log, and where nobody reads.
#include "tests/e2e/on_terminal.hpp"

#include <doctest/doctest.h>

#include <csignal>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/util/text.hpp"

using tuner::test::BackgroundProgram;
using tuner::test::has;
using tuner::test::read_text;
using tuner::test::shown_on_terminal;
using tuner::test::User;

TEST_SUITE("tuner on a terminal") {
  namespace {

  using Variables = std::map<std::string, std::string>;

  constexpr const char* escape = "\x1b[";

  /// Someone with a recorded sweep of an H200 as the database.
  struct Reader : User {
    Reader() {
      environment["TUNER_DB"] = home / "tuner.db";
      REQUIRE(types({"import", TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-libraries/overlap.jsonl"})
                  .exit_code == 0);
    }
    Variables variables(Variables more) const {
      Variables all = {{"HOME", home.path()},
                       {"TUNER_DB", home / "tuner.db"},
                       {"TERM", "xterm-256color"},
                       {"NO_COLOR", ""}};
      for (const auto& [name, value] : more) all[name] = value;
      return all;
    }
    /// What a terminal shows; without a pager unless `more` has one.
    std::string sees(std::vector<std::string> words, unsigned columns,
                     Variables more = {{"PAGER", "cat"}}) const {
      words.insert(words.begin(), TUNER_BINARY);
      return shown_on_terminal(words, columns, variables(std::move(more)));
    }
  };

  std::string without_escapes(std::string text) {
    for (std::size_t at = 0; (at = text.find(escape)) != std::string::npos;)
      text.erase(at, text.find_first_of("mKA", at) + 1 - at);
    return text;
  }

  /// A sweep of a few seconds at most.
  std::vector<std::string> small_sweep(const std::vector<std::string>& more,
                                       const std::string& budget = "30") {
    std::vector<std::string> words = {"run",      "--device",  "cpu",   "--kernel", "naive", "--sizes",
                                      "16,24,32", "--measure", "quick", "--budget", budget};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  }  // namespace

  TEST_CASE("answers have colours on a terminal that has some, and the same words everywhere") {
    const Reader reader;
    const std::vector<std::vector<std::string>> commands = {{"best", "--family", "matmul"},
                                                            {"best", "2048", "--top", "3"},
                                                            {"show", "45573b8"},
                                                            {"show", "45573b8", "abd68dc"},
                                                            {"compare", "45573b8", "abd68dc"},
                                                            {"list", "runs"},
                                                            {"run", "--help"}};
    for (const auto& command : commands) {
      CAPTURE(command[0]);
      for (const unsigned columns : {40U, 80U, 140U}) {
        const std::string shown = reader.sees(command, columns);
        CHECK(has(shown, escape));
        CHECK(without_escapes(shown) == reader.sees(command, columns, {{"PAGER", "cat"}, {"NO_COLOR", "1"}}));
      }
      for (const char* type : {"dumb", "vt100", ""})
        CHECK_FALSE(has(reader.sees(command, 80, {{"PAGER", "cat"}, {"TERM", type}}), escape));
      std::vector<std::string> never = command;
      never.insert(never.end(), {"--color", "never"});
      CHECK_FALSE(has(reader.sees(never, 80), escape));
      std::vector<std::string> always = command;
      always.push_back("--color=always");
      CHECK_FALSE(has(reader.types(command).out, escape));
      CHECK(has(reader.types(always).out, escape));
    }
    const std::string faster = reader.sees({"compare", "45573b8", "abd68dc"}, 80);
    CHECK(has(faster, "\x1b[32mfaster\x1b[0m"));
    CHECK(has(reader.sees({"show", "45573b8"}, 80), "\x1b[32mok\x1b[0m"));
    CHECK(has(reader.sees({"best"}, 140), "\x1b[32m1.529\x1b[0m"));  // against cuBLAS
  }

  TEST_CASE("an error has a red label, wherever it is found, and TUNER_COLOR asks for it in a pipe") {
    const Reader reader;
    const std::string label = "\x1b[1;31mtuner:\x1b[0m ";
    CHECK(has(reader.sees({"bset"}, 80), label + "there is no command"));
    CHECK(has(reader.sees({"show", "abcdef0"}, 80), label));
    User user;
    CHECK_FALSE(has(user.types({"bset"}).err, escape));
    user.environment["TUNER_COLOR"] = "always";
    CHECK(has(user.types({"bset"}).err, label));
    CHECK(has(user.types({"best", "--help"}).out, "\x1b[36m-k,--kernel"));
    CHECK_FALSE(has(user.types({"bset", "--color", "never"}).err, escape));
    const auto refused = user.types({"completion", "bash", "--color", "sometimes"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "sometimes"));
  }

  TEST_CASE("a long answer goes through $PAGER with its colours and width, a short one needs no key") {
    const Reader reader;
    const std::string file = reader.home / "paged";
    const Variables pager = {{"PAGER", "cat > " + file}};
    CHECK(reader.sees({"show", "45573b8"}, 60, pager).empty());
    CHECK(read_text(file) == reader.sees({"show", "45573b8"}, 60));
    CHECK(has(read_text(file), escape));
    CHECK(reader.sees({"help", "run"}, 80, pager).empty());
    CHECK(has(read_text(file), "Usage"));
    // What is said on stderr comes in its order.
    CHECK(reader.sees({"best", "2048"}, 80, pager).empty());
    CHECK(read_text(file) == reader.sees({"best", "2048"}, 80));
    CHECK(has(read_text(file), "why "));
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"show", "45573b8", "--pager", "never"}, {"--version"}, {"completion", "bash"}})
      CHECK_FALSE(reader.sees(words, 80, pager).empty());
    CHECK(has(reader.types({"show", "45573b8"}).out, "measurement of"));  // no terminal, no pager
    // less itself: it ends where all fits on the screen, else at q.
    if (access("/usr/bin/less", X_OK) != 0) return;
    unsetenv("LESS");
    const Variables less = reader.variables({{"PAGER", "less"}});
    CHECK(has(shown_on_terminal({TUNER_BINARY, "list", "runs"}, 80, less), "tuner"));
    const std::string shown =
        shown_on_terminal({TUNER_BINARY, "show", "45573b8", "--color", "always"}, 80, less, "q");
    CHECK(has(shown, "\x1b[32mok"));
    CHECK_FALSE(has(shown, "ESC"));
    CHECK_FALSE(has(shown, "<C2>"));
  }

  TEST_CASE("a pager that is not there, or ends early, breaks no answer") {
    const Reader reader;
    CHECK(has(reader.sees({"show", "45573b8"}, 80, {{"PAGER", "/no/such/pager"}}), "/no/such/pager"));
    CHECK(reader.sees({"show", "45573b8"}, 80, {{"PAGER", "true"}}).empty());
    CHECK(has(reader.sees({"show", "45573b8"}, 80, {{"PAGER", ""}}), "measurement of"));
  }

  TEST_CASE("a closed pipe ends an answer without a word") {
    const Reader reader;
    BackgroundProgram program({TUNER_BINARY, "show", "45573b8"}, reader.environment, reader.home.path(),
                              BackgroundProgram::Output::broken_pipe);
    const auto result = program.wait();
    CHECK(result.err.empty());
    CHECK((result.exit_code == 0 || result.exit_code == 128 + SIGPIPE));
  }

  TEST_CASE("--quiet leaves the answer, warnings and errors") {
    User user;
    user.environment["TUNER_DEVCE"] = "cpu";
    const auto loud = user.types(small_sweep({"--db", "a.db"}));
    const auto quiet = user.types(small_sweep({"--db", "b.db", "--quiet"}));
    REQUIRE(loud.exit_code == 0);
    CHECK(quiet.exit_code == 0);
    CHECK(has(loud.err, "database: "));
    CHECK(has(loud.err, "tried"));
    CHECK(has(quiet.out, "naive"));
    CHECK_FALSE(has(quiet.err, "database: "));
    CHECK_FALSE(has(quiet.err, "tried"));
    CHECK(has(quiet.err, "TUNER_DEVCE"));
    const auto refused = user.types({"best", "-q", "--db", "absent.db"});
    CHECK(refused.exit_code != 0);
    CHECK(has(refused.err, "absent.db"));
    CHECK_FALSE(has(user.types({"list", "failures", "--db", "a.db", "--quiet"}).err, "equal failures"));
  }

  TEST_CASE("a sweep's line of progress is whole at 80 columns, and what is below it is gone at the end") {
    const User user;
    std::vector<std::string> words = small_sweep({});
    words.insert(words.begin(), TUNER_BINARY);
    for (const unsigned columns : {40U, 80U, 140U}) {
      const std::string database = user.home / ("wide" + std::to_string(columns));
      const std::string shown = shown_on_terminal(
          words, columns,
          {{"HOME", user.home.path()}, {"TUNER_DB", database}, {"TERM", "xterm"}, {"NO_COLOR", "1"}});
      CAPTURE(shown);
      std::size_t lines = 0;
      for (std::size_t at = 0; (at = shown.find(" sizes ·", at)) != std::string::npos; ++at) {
        const std::size_t end = std::min(shown.find("\x1b[K", at), shown.find('\n', at));
        CHECK_FALSE(has(shown.substr(at, end - at), "…"));
        ++lines;
      }
      CHECK(lines > 0);
      if (columns >= 80) CHECK(has(shown, " · best "));
      CHECK(has(shown, "\x1b[A"));  // of a picture of several lines
    }
  }

  TEST_CASE("a log gets plain lines, one for each size that ends") {
    const User user;
    const auto result = user.types(small_sweep({}));
    REQUIRE(result.exit_code == 0);
    CHECK_FALSE(has(result.err, escape));
    CHECK_FALSE(has(result.err, "\r"));
    for (const char* size : {"\n16: best ", "\n24: best ", "\n32: best "}) CHECK(has(result.err, size));
  }

  TEST_CASE("a log of several families names that of each size, the first as well") {
    const User user;
    for (const char* name : {"first", "second"}) {
      tuner::test::SmallKernel kernel;
      kernel.name = name;
      kernel.is_verified = false;
      kernel.write(user.home);
    }
    const auto result =
        user.types({"run", "--device", "cpu", "--kernel", "first.toml", "--kernel", "second.toml", "--sizes",
                    "64", "--measure", "quick", "--ceilings", "off"});
    INFO(result.err);
    for (const char* size : {"\nfirst 64: best ", "\nsecond 64: best "}) CHECK(has(result.err, size));
  }

  TEST_CASE("where the terminal has links, a report and a database are some") {
    const User user;
    std::vector<std::string> words = small_sweep({"--report", user.home / "a report.md"});
    words.insert(words.begin(), TUNER_BINARY);
    Variables variables = {
        {"HOME", user.home.path()}, {"TUNER_DB", user.home / "tuner.db"}, {"TERM", "xterm"}};
    CHECK_FALSE(has(shown_on_terminal(words, 200, variables), "\x1b]8;"));
    variables["VTE_VERSION"] = "6800";
    const std::string shown = shown_on_terminal(words, 200, variables);
    CHECK(has(shown, "/a%20report.md\x1b\\" + user.home / "a report.md"));
    CHECK(has(shown, "/tuner.db\x1b\\"));
  }
}
