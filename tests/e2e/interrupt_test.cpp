#include <doctest/doctest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "db/database.hpp"
#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"
#include "tests/support/orphans.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using tuner::test::has;

TEST_SUITE("tuner command line, interrupted") {
  namespace {

  /// Its first thread wastes SPIN million additions, a run-time argument: every configuration has one binary.
  void write_spinning(const test::User& user, const std::string& spins) {
    test::SmallKernel{.name = "spin",
                      .parameters = "SPIN = { values = [" + spins + "], runtime = true }",
                      .arguments = {"SPIN"},
                      .loops = "i == 0 ? SPIN * 1000000LL : 0"}
        .write(user.home);
  }

  constexpr const char* six = "1, 2, 3, 4, 5, 6";

  /// A command typed at a terminal of 80 columns, with the shell's prompt behind it.
  class AtTerminal {
   public:
    AtTerminal(const test::User& user, const std::string& command) {
      winsize size{};
      size.ws_col = 80;
      size.ws_row = 24;
      m_pid = forkpty(&m_terminal, nullptr, nullptr, &size);
      REQUIRE(m_pid >= 0);
      if (m_pid > 0) return;
      if (chdir(user.home.path().c_str()) != 0) _exit(127);
      setenv("HOME", user.home.path().c_str(), 1);
      for (const char* of_caller : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) unsetenv(of_caller);
      setenv("TERM", "xterm", 1);
      // The shell goes on after Ctrl-C, as one that somebody types at does.
      const std::string line = "trap : INT; " + command + "; echo \"code $?\"; printf 'prompt$ '";
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    AtTerminal(const AtTerminal&) = delete;
    AtTerminal& operator=(const AtTerminal&) = delete;
    ~AtTerminal() {
      kill(-m_pid, SIGKILL);
      waitpid(m_pid, nullptr, 0);
      close(m_terminal);
    }

    void types(char key) const { REQUIRE(write(m_terminal, &key, 1) == 1); }
    /// Everything shown until `part` is, or the program ends.
    const std::string& wait_for(const std::string& part) {
      const auto deadline = std::chrono::steady_clock::now() + 120s;
      while (!has(m_shown, part)) {
        REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, m_shown);
        pollfd ready{m_terminal, POLLIN, 0};
        if (poll(&ready, 1, 100) <= 0) continue;
        char bytes[4096];
        const ssize_t got = read(m_terminal, bytes, sizeof bytes);
        if (got <= 0) break;
        m_shown.append(bytes, static_cast<std::size_t>(got));
      }
      return m_shown;
    }

   private:
    int m_terminal = -1;
    pid_t m_pid = -1;
    std::string m_shown;
  };

  /// Someone who sweeps the kernel above, looks into the database meanwhile, and interrupts.
  class Tuning {
   public:
    explicit Tuning(const std::string& spins,
                    test::BackgroundProgram::Output output = test::BackgroundProgram::Output::kept,
                    const std::string& sizes = "64", const std::vector<std::string>& more = {})
        : m_program(start(m_user, spins, sizes, output, more)) {}

    test::BackgroundProgram& program() { return m_program; }
    const test::User& user() const { return m_user; }

    /// Waits until a count in the database is at least `least`.
    void wait_for(const std::string& rows, std::int64_t least) {
      const auto deadline = std::chrono::steady_clock::now() + 120s;
      while (count(rows) < least) {
        REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, m_program.err());
        std::this_thread::sleep_for(5ms);
      }
    }
    std::int64_t count(const std::string& rows) const {
      try {
        return database().integer("SELECT count(*) FROM " + rows);
      } catch (const model::Error&) {  // not made yet
        return 0;
      }
    }
    void check_sound() const { CHECK(database().text("PRAGMA integrity_check") == "ok"); }

   private:
    db::Connection database() const {
      return db::open_for_reading(m_user.home / ".local/share/tuner/tuner.db");
    }

    static test::BackgroundProgram start(const test::User& user, const std::string& spins,
                                         const std::string& sizes, test::BackgroundProgram::Output output,
                                         const std::vector<std::string>& more) {
      write_spinning(user, spins);
      std::vector<std::string> command = {TUNER_BINARY, "run",      "--kernel",        "spin.toml",
                                          "--device",   "cpu",      "--sizes",         sizes,
                                          "--measure",  "complete", "--run-timeout-s", "120"};
      command.insert(command.end(), more.begin(), more.end());
      return test::BackgroundProgram(command, user.environment, user.home.path(), output);
    }

    test::User m_user;
    test::BackgroundProgram m_program;
  };

  }  // namespace

  TEST_CASE(
      "Ctrl-C and SIGTERM finish the launch in hand, show the table so far and the command that resumes") {
    int signal = 0;
    int code = 0;
    SUBCASE("SIGINT") {
      signal = SIGINT;
      code = 130;
    }
    SUBCASE("SIGTERM") {
      signal = SIGTERM;
      code = 143;
    }
    test::adopt_orphans();
    Tuning tuning(six);
    tuning.wait_for("trials", 2);
    tuning.wait_for("attempts WHERE closed_at IS NULL", 1);
    tuning.program().signal(signal);
    const test::ProgramResult ended = tuning.program().wait();
    INFO(ended.err);
    CHECK(ended.exit_code == code);
    CHECK(has(ended.out, "SPIN="));
    CHECK(has(ended.err, "interrupted; everything measured is kept"));
    CHECK(test::every_child_ends());

    const std::int64_t kept = tuning.count("trials");
    CHECK(kept >= 3);
    CHECK(kept < 6);
    CHECK(tuning.count("attempts WHERE closed_at IS NULL") == 0);
    CHECK(tuning.count("runs WHERE state = 'interrupted'") == 1);
    tuning.check_sound();

    const test::ProgramResult resumed = tuning.user().types(test::resume_command(ended.err));
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK(has(resumed.err, "6 trials, " + std::to_string(kept) + " of them known already"));
    CHECK(tuning.count("trials") == 6);
    // One measurement a trial and one more for each final it was in: nothing was measured twice.
    CHECK(tuning.count("measurements") ==
          tuning.count("trials WHERE measurement IS NOT NULL") + tuning.count("final_entries"));
  }

  TEST_CASE(
      "after Ctrl-C the sizes that were not started are named, and the command that resumes does them") {
    Tuning tuning("1, 2, 3", test::BackgroundProgram::Output::kept, "64,128,256");
    tuning.wait_for("trials", 1);
    tuning.program().signal(SIGINT);
    const test::ProgramResult ended = tuning.program().wait();
    INFO(ended.out, ended.err);
    CHECK(ended.exit_code == 130);
    CHECK(has(test::words_of(ended.out), "256: not started: interrupted"));
    const std::vector<std::string> resume = test::resume_command(ended.err);
    REQUIRE_FALSE(resume.empty());
    const test::ProgramResult resumed = tuning.user().types(resume);
    INFO(resumed.out, resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK_FALSE(has(resumed.out, "not started"));
    CHECK(tuning.count("trials WHERE status = 'ok'") == 9);
    for (const char* size : {"64", "128", "256"})
      CHECK(tuning.user().types({"best", size, "--format", "flags"}).exit_code == 0);
  }

  TEST_CASE("Ctrl-C in the first moments ends a run as later on, and the same command then does all of it") {
    for (const auto delay : {0ms, 10ms, 50ms, 100ms, 200ms}) {
      CAPTURE(delay.count());
      test::User user;
      user.has_own_cache();  // with binaries at hand the run may end before
      write_spinning(user, "1, 2");
      const std::vector<std::string> words = {"run",     "--kernel", "spin.toml", "--device", "cpu",
                                              "--sizes", "64",       "--measure", "quick"};
      std::vector<std::string> command = words;
      command.insert(command.begin(), TUNER_BINARY);
      test::BackgroundProgram program(command, user.environment, user.home.path());
      std::this_thread::sleep_for(delay);
      program.signal(SIGINT);
      const test::ProgramResult ended = program.wait();
      INFO(ended.out, ended.err);
      CHECK(ended.exit_code == 130);
      const test::ProgramResult whole = user.types(words);
      INFO(whole.out, whole.err);
      CHECK(whole.exit_code == 0);
      CHECK(user.types({"best", "64", "--format", "flags"}).exit_code == 0);
    }
  }

  TEST_CASE("after Ctrl-C the events end with what was measured, and with an end that says so") {
    Tuning tuning("1, 2, 3", test::BackgroundProgram::Output::kept, "64,128,256", {"--events", "-"});
    tuning.wait_for("trials", 1);
    tuning.program().signal(SIGINT);
    const test::ProgramResult ended = tuning.program().wait();
    INFO(ended.out, ended.err);
    CHECK(ended.exit_code == 130);
    std::istringstream lines(ended.out);
    std::vector<nlohmann::json> events;
    for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
    REQUIRE_FALSE(events.empty());
    CHECK(events.back()["event"] == "end");
    CHECK(events.back()["ending"] == "interrupted");
    CHECK(std::ranges::count(events, "trial", [](const auto& event) { return event["event"]; }) ==
          tuning.count("trials"));
    CHECK(test::resume_command(ended.err).at(0) == "run");
  }

  TEST_CASE("what goes on with a fresh sweep is named once, however its flags were written") {
    test::User user;
    write_spinning(user, "1, 2, 3");
    const auto goes_on = [&](const std::string& fresh, const std::string& resume) {
      std::vector<std::string> command = {"run",     "--kernel", "spin.toml", "--device", "cpu",
                                          "--sizes", "64",       "--budget",  "1",        fresh};
      if (!resume.empty()) command.push_back(resume);
      const std::string err = user.types(command).err;
      const std::size_t at = err.find("to go on:");
      REQUIRE_MESSAGE(at != std::string::npos, err);
      return test::words_of(err.substr(at));
    };
    const std::string first = goes_on("--fresh=true", "");
    const std::size_t at = first.find(" --resume ");
    REQUIRE_MESSAGE(at != std::string::npos, first);
    const std::string run = first.substr(at + 10, 12);
    CHECK(has(goes_on("--fresh", "--resume=" + run), " --budget 1 --fresh --resume " + run + "\n"));
  }

  TEST_CASE("a second Ctrl-C does not wait for the launch in hand, and nothing is lost") {
    test::adopt_orphans();
    Tuning tuning("1000000");
    tuning.wait_for("attempts WHERE closed_at IS NULL", 1);
    tuning.program().signal(SIGINT);
    std::this_thread::sleep_for(200ms);
    const auto begin = std::chrono::steady_clock::now();
    tuning.program().signal(SIGINT);
    const test::ProgramResult ended = tuning.program().wait();
    CHECK(ended.exit_code == 130);
    CHECK(std::chrono::steady_clock::now() - begin < 2s);
    CHECK(test::every_child_ends());
    tuning.check_sound();
    CHECK(tuning.count("attempts WHERE closed_at IS NULL") == 1);
    CHECK(tuning.count("runs WHERE state = 'interrupted' AND ended_at IS NOT NULL") == 1);
    CHECK(has(ended.err, "ended at once"));
    CHECK(test::resume_command(ended.err).at(0) == "run");
  }

  TEST_CASE("a refresh that is told twice to end says how it goes on") {
    test::User user;
    user.measures_by_default();
    test::SmallKernel kernel{.name = "spin"};
    kernel.write(user.home);
    const std::vector<std::string> quick = {"run",     "--kernel", "spin.toml", "--device", "cpu",
                                            "--sizes", "64",       "--measure", "quick"};
    REQUIRE(user.types(quick).exit_code == 0);
    kernel.loops = "1000000000000";
    kernel.write(user.home);
    test::BackgroundProgram program({TUNER_BINARY, "refresh", "--device", "cpu", "--run-timeout-s", "120"},
                                    user.environment, user.home.path());
    const std::string database = user.home / ".local/share/tuner/tuner.db";
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (db::open_for_reading(database).integer("SELECT count(*) FROM attempts WHERE closed_at IS NULL") ==
           0) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      std::this_thread::sleep_for(5ms);
    }
    program.signal(SIGINT);
    std::this_thread::sleep_for(200ms);
    program.signal(SIGINT);
    const test::ProgramResult ended = program.wait();
    CHECK(ended.exit_code == 130);
    CHECK(has(ended.err, "ended at once"));
    CHECK(test::resume_command(ended.err).at(0) == "refresh");
  }

  TEST_CASE("after Ctrl-C twice the prompt is on a line of its own, behind the command that resumes") {
    test::User user;
    write_spinning(user, "1, 1000000");
    const std::string command = TUNER_BINARY
        " run --kernel spin.toml --device cpu --sizes 64 --measure complete --strategy exhaustive --seed 1"
        " --run-timeout-s 120";
    AtTerminal terminal(user, command);
    terminal.wait_for("2 trials");
    std::this_thread::sleep_for(3s);  // one of the two is at work, and the line of progress may be there
    terminal.types('\x03');
    std::this_thread::sleep_for(300ms);
    terminal.types('\x03');
    const std::string shown = terminal.wait_for("prompt$ ");
    CAPTURE(shown);
    CHECK(has(shown, "\nended at once; everything measured before is kept. To resume:\r\n  tuner run "));
    CHECK(has(shown, "\r\ncode 130\r\nprompt$ "));
    CHECK(has(user.types({"list", "runs"}).out, "interrupted"));
  }

  TEST_CASE("a run that was killed is told as interrupted, and the next start mends its row") {
    test::adopt_orphans();
    Tuning tuning(six);
    tuning.wait_for("trials", 2);
    CHECK(has(tuning.user().types({"list", "runs"}).out, "running"));
    tuning.program().signal(SIGKILL);
    CHECK(tuning.program().wait().exit_code == 137);
    CHECK(test::every_child_ends());
    CHECK(tuning.count("runs WHERE state = 'running'") == 1);
    const std::string listed = tuning.user().types({"list", "runs"}).out;
    CHECK(has(listed, "interrupted"));
    CHECK_FALSE(has(listed, "running"));
    CHECK(tuning.count("runs WHERE state = 'running'") == 1);  // looking changed nothing

    const test::ProgramResult resumed =
        tuning.user().types({"run", "--kernel", "spin.toml", "--device", "cpu", "--sizes", "64", "--measure",
                             "complete", "--run-timeout-s", "120"});
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    const std::size_t first = resumed.err.find("64 · best ");
    REQUIRE(first != std::string::npos);
    const std::string line = resumed.err.substr(first, resumed.err.find('\n', first) - first);
    CHECK(has(line, " of 6 tried"));
    CHECK(has(line, " left"));
    CHECK(tuning.count("runs WHERE state = 'running'") == 0);
    CHECK(tuning.count("runs WHERE state = 'interrupted'") == 1);
    CHECK(tuning.count("runs WHERE state = 'done'") >= 1);
  }

  TEST_CASE("a closed terminal and a reader of stdout that went away end nothing") {
    Tuning tuning("1, 2, 3", test::BackgroundProgram::Output::broken_pipe);
    tuning.wait_for("attempts", 1);
    tuning.program().signal(SIGHUP);
    const test::ProgramResult ended = tuning.program().wait();
    INFO(ended.err);
    CHECK(ended.exit_code == 0);
    CHECK(tuning.count("trials WHERE status = 'ok'") == 3);
    CHECK(tuning.count("runs WHERE state = 'done'") == 1);
    tuning.check_sound();
  }
}
