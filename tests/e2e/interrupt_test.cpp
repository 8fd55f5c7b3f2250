#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "db/database.hpp"
#include "tests/e2e/user.hpp"
#include "tests/support/orphans.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using tuner::test::has;

namespace {

/// Its first thread wastes SPIN million additions, a run-time argument: every configuration has one binary.
void write_spinning(const test::User& user, const std::string& spins) {
  test::write_text(user.home / "spin.toml", R"spec([kernel]
name = "spin"
family = "spinning"
source = "spin.cu"
entry = "spin"
sizes = ["N"]

[parameters]
SPIN = { values = [)spec" + spins + R"spec(], runtime = true }

[launch]
block = [32]
grid = ["ceil_div(N, 32)"]

[[arguments]]
name = "x"
type = "float*"
access = "out"
extent = ["N"]

[[arguments]]
name = "N"
type = "int"

[[arguments]]
name = "SPIN"
type = "int"

[verify]
reference = "reference.cu"
rounding_terms = "0"

[verify.launch]
entry = "spin_reference"
block = [32]
grid = ["ceil_div(N, 32)"]
arguments = ["x.expected", "x.magnitude", "N"]
)spec");
  test::write_text(user.home / "spin.cu", R"(extern "C" __global__ void spin(float* x, int N, int SPIN) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float wasted = 0;
  if (i == 0)
    for (long long s = 0; s < SPIN * 1000000LL; ++s) wasted = wasted + 1;
  if (i < N) x[i] = i;
}
)");
  test::write_text(user.home / "reference.cu",
                   R"(extern "C" __global__ void spin_reference(double* expected, double* magnitude, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) expected[i] = magnitude[i] = i;
}
)");
}

constexpr const char* six = "1, 2, 3, 4, 5, 6";

/// Someone who sweeps the kernel above, looks into the database meanwhile, and interrupts.
class Tuning {
 public:
  explicit Tuning(const std::string& spins,
                  test::BackgroundProgram::Output output = test::BackgroundProgram::Output::kept)
      : m_program(start(m_user, spins, output)) {}

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
                                       test::BackgroundProgram::Output output) {
    write_spinning(user, spins);
    return test::BackgroundProgram({TUNER_BINARY, "run", "--kernel", "spin.toml", "--device", "cpu",
                                    "--sizes", "64", "--measure", "complete", "--run-timeout-s", "120"},
                                   user.environment, user.home.path(), output);
  }

  test::User m_user;
  test::BackgroundProgram m_program;
};

}  // namespace

TEST_SUITE("tuner command line, interrupted") {
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

  TEST_CASE("a second Ctrl-C does not wait for the launch in hand, and nothing is lost") {
    test::adopt_orphans();
    Tuning tuning("1000000");
    tuning.wait_for("attempts WHERE closed_at IS NULL", 1);
    tuning.program().signal(SIGINT);
    std::this_thread::sleep_for(200ms);
    const auto begin = std::chrono::steady_clock::now();
    tuning.program().signal(SIGINT);
    CHECK(tuning.program().wait().exit_code == 130);
    CHECK(std::chrono::steady_clock::now() - begin < 2s);
    CHECK(test::every_child_ends());
    tuning.check_sound();
    CHECK(tuning.count("attempts WHERE closed_at IS NULL") == 1);
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
