// Where a command that is nearly right differs from one that is.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::read_text;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, counterexamples") {
  namespace {

  namespace fs = std::filesystem;

  /// A kernel that counts, and wastes `waste` additions before. Rows may be padded: all that is added is
  /// written too.
  void write_kernel(const User& user, const std::string& name, const std::string& waste,
                    const std::string& family = "counting") {
    write_text(user.home / (name + ".toml"), "[kernel]\nname = \"" + name + "\"\nfamily = \"" + family +
                                                 "\"\nsource = \"" + name + ".cu\"" + R"text(
entry = "count"
sizes = ["N"]
row_padding = "PAD"

[derived]
all = "N + PAD"

[parameters]
BLOCK = [32, 64]

[launch]
block = ["BLOCK"]
grid = ["ceil_div(all, BLOCK)"]

[[arguments]]
name = "x"
type = "float*"
access = "out"
extent = ["all"]

[[arguments]]
name = "all"
type = "int"

[verify]
reference = "reference.cu"
rounding_terms = "0"

[verify.launch]
entry = "reference"
block = [32]
grid = ["ceil_div(all, 32)"]
arguments = ["x.expected", "x.magnitude", "all"]
)text");
    write_text(user.home / (name + ".cu"), R"text(extern "C" __global__ void count(float* x, int all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float wasted = 0;
  for (int s = 0; s < )text" + waste + R"text(; ++s) wasted = wasted + 1;
  if (i < all) x[i] = i;
}
)text");
    write_text(user.home / "reference.cu",
               R"text(extern "C" __global__ void reference(double* expected, double* magnitude, int all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < all) expected[i] = magnitude[i] = i;
}
)text");
  }

  struct Author : User {
    Author() {
      environment["TUNER_DB"] = home / "tuner.db";
      environment["TUNER_MEASURE"] = "quick";
      write_kernel(*this, "count", "1");
    }
    std::string database() const { return environment.at("TUNER_DB"); }
    ProgramResult runs(const std::vector<std::string>& more = {}, const std::string& kernel = "count") const {
      std::vector<std::string> all = {"run",     "--device", "cpu", "--kernel", kernel + ".toml",
                                      "--sizes", "100"};
      all.insert(all.end(), more.begin(), more.end());
      return types(all);
    }
    /// The word behind `mark`, up to the next blank.
    static std::string word_behind(const std::string& text, const std::string& mark) {
      const std::size_t at = text.find(mark);
      if (at == std::string::npos) return "";
      const std::size_t begin = at + mark.size();
      return text.substr(begin, text.find_first_of(" ;\n", begin) - begin);
    }
  };

  }  // namespace

  TEST_CASE("results that no database takes end a run with 1, and lie in a file that import takes") {
    Author author;
    const std::string compiler = author.home / "c++";
    // Once there is something to measure there is nowhere to put it.
    write_text(compiler, "#!/bin/sh\ngrep -qs BLOCK unit.cpp && rm -f '" + author.database() + "' '" +
                             author.database() + "-wal'\nexec /usr/bin/c++ \"$@\"\n");
    chmod(compiler.c_str(), 0755);
    author.environment["TUNER_HOST_CXX"] = compiler;
    const ProgramResult run = author.runs({"--quiet"});
    INFO(run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.out, "counting 100: the database has no result: it could not be written"));
    CHECK(has(run.err, "2 trials and 0 finals could not be written to the database"));
    const std::string file = author.word_behind(run.err, "they are in ");
    CHECK(author.types({"import", file, "--db", "other.db"}).exit_code == 0);
    CHECK(author.types({"best", "--size", "100", "--db", "other.db"}).exit_code == 0);
  }

  TEST_CASE("a report that cannot be written any more cuts nothing off the end of a run") {
    Author author;
    const std::string compiler = author.home / "c++";
    write_text(compiler, "#!/bin/sh\nrm -rf '" + (author.home / "reports") + "'\nexec /usr/bin/c++ \"$@\"\n");
    chmod(compiler.c_str(), 0755);
    author.environment["TUNER_HOST_CXX"] = compiler;
    std::filesystem::create_directory(author.home / "reports");
    const ProgramResult run = author.runs({"--report", "reports/r.md", "--events", "events.jsonl"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.err, "no report: "));
    CHECK(has(run.err, "reports/r"));
    CHECK(has(run.err, "database: " + author.database()));
    CHECK(has(read_text(author.home / "events.jsonl"), "\"end\""));
    CHECK(author.types({"best", "--size", "100"}).exit_code == 0);
  }

  TEST_CASE("results that the database refuses end a run with 1, and lie in a file too") {
    const Author author;
    REQUIRE(author.runs().exit_code == 0);
    db_test::meddle(author.database(),
                    "CREATE TRIGGER refuse BEFORE INSERT ON trials BEGIN SELECT RAISE(ABORT, 'never'); END");
    const ProgramResult run = author.runs({"--pad", "4"});
    INFO(run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.err, "results were refused by the database"));
    CHECK_FALSE(has(run.err, "could not be written"));
    CHECK(has(read_text(author.word_behind(run.err, "they are in ")), "BLOCK"));
  }

  TEST_CASE("a reference that takes longer than --prepare-timeout-s ends a run with 1; more time answers") {
    const Author author;
    write_text(author.home / "reference.cu",
               R"text(extern "C" __global__ void reference(double* expected, double* magnitude, int all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int wasted = 0;
  for (int s = 0; all == 100 && s < 5000000; ++s) wasted = wasted + 1;  // probes are quick
  if (i < all) expected[i] = magnitude[i] = i;
}
)text");
    const ProgramResult late = author.runs({"--prepare-timeout-s", "0.1"});
    INFO(late.out, late.err);
    CHECK(late.exit_code == 1);
    CHECK(has(late.err, "--prepare-timeout-s sets how long that may take"));
    CHECK(has(late.out, "100: refused, for the reason above"));
    CHECK(author.types({"best", "100"}).exit_code == 3);
    // Nothing counts as tried, so the same with more time does all of it.
    const ProgramResult in_time = author.runs();
    INFO(in_time.out, in_time.err);
    CHECK(in_time.exit_code == 0);
    CHECK(author.types({"best", "100"}).exit_code == 0);
  }

  TEST_CASE("every padding that was asked for is tuned, and answered for where none is asked for") {
    const Author author;
    const ProgramResult run = author.runs({"--pad", "0,4"});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(has(run.err, "4 trials"));
    CHECK(author.types({"best", "100", "--pad", "4", "--format", "flags"}).exit_code == 0);

    REQUIRE(author.runs({"--pad", "4", "--db", "padded.db"}).exit_code == 0);
    CHECK(author.types({"best", "--db", "padded.db"}).exit_code == 0);
    const ProgramResult nothing = author.types({"best", "--pad", "0", "--db", "padded.db"});
    CHECK(nothing.exit_code == 3);
    CHECK(has(nothing.err, "no answer in "));
  }

  TEST_CASE("what was measured of a kernel that was edited since competes in nobody's run") {
    const Author author;
    write_kernel(author, "slow", "3000");
    REQUIRE(author.runs({}, "slow").exit_code == 0);  // with nobody who would have it dropped
    REQUIRE(author.runs().exit_code == 0);
    const auto kernel = [&] {
      const auto best = nlohmann::json::parse(author.types({"best", "100", "--format", "json"}).out);
      return best["answers"][0]["winner"]["kernel"].get<std::string>();
    };
    REQUIRE(kernel() == "count");
    write_kernel(author, "count", "2");
    REQUIRE(author.runs({}, "slow").exit_code == 0);
    CHECK(kernel() == "slow");
  }

  TEST_CASE(
      "what a rival has dropped is planned, measured again and answered for once that rival is edited") {
    Author author;
    write_kernel(author, "slow", "5000");
    REQUIRE(author.runs().exit_code == 0);
    REQUIRE(has(author.runs({}, "slow").out, "\nslow  "));
    const std::vector<std::string> plan = {"plan",      "--device", "cpu", "--kernel",
                                           "slow.toml", "--sizes",  "100"};
    CHECK(has(author.types(plan).out, "2 known, 0 left"));
    write_kernel(author, "count", "2");
    const ProgramResult planned = author.types(plan);
    CHECK(has(planned.out, "0 known, 2 left"));
    const std::string sentence =
        "2 trials were dropped early against a best that no longer competes, and are measured again";
    CHECK(has(planned.err, sentence));
    const ProgramResult again = author.runs({}, "slow");
    CHECK(has(again.err, sentence));
    const ProgramResult best = author.types({"best"});
    CHECK(best.exit_code == 0);
    CHECK(has(tuner::test::words_of(best.out), " kernel slow"));
    CHECK_FALSE(has(author.runs({}, "slow").err, "measured again"));
  }

  TEST_CASE("a run declares the kernels of its families, and no others") {
    const Author author;
    write_kernel(author, "slow", "3000");
    write_kernel(author, "stranger", "1", "strangers");
    REQUIRE(author.runs().exit_code == 0);
    db::ResultStore store(author.database());
    CHECK(store.declared("counting").size() == 1);
    CHECK(store.declared("matmul").empty());
  }

  TEST_CASE("what measures a size that nobody has names every spec of the family") {
    const Author author;
    write_kernel(author, "slow", "3000");
    REQUIRE(author.runs().exit_code == 0);
    REQUIRE(author.runs({}, "slow").exit_code == 0);
    const ProgramResult best = author.types({"best", "999", "--format", "flags"});
    CHECK(best.exit_code == 3);
    CHECK(has(words_of(best.err), "measure what was asked for: tuner run --kernel " +
                                      (author.home / "count.toml") + " --kernel " +
                                      (author.home / "slow.toml") + " --sizes 999 --device cpu"));
  }

  TEST_CASE("the command that goes on measures anew what is left, once") {
    const Author author;
    REQUIRE(author.runs().exit_code == 0);
    const auto count = [&](const char* what) {
      return db::open_for_reading(author.database()).integer(std::string("SELECT count(*) FROM ") + what);
    };
    ProgramResult run = author.runs({"--fresh", "--retry-failed", "--budget", "1"});
    int resumed = 0;
    for (; has(run.err, "the budget is spent; to go on:"); ++resumed) {
      INFO(run.err);
      REQUIRE(resumed < 10);
      const std::string command = words_of(run.err.substr(run.err.find("to go on:")));
      CHECK(has(command, "--fresh --retry-failed --budget 1 --resume "));
      const std::size_t at = command.find("--resume ");
      run =
          author.runs({"--fresh", "--retry-failed", "--budget", "1", "--resume", command.substr(at + 9, 12)});
    }
    CHECK(resumed > 0);
    CHECK(run.exit_code == 0);
    CHECK(count("trials WHERE run = (SELECT id FROM runs ORDER BY started_at LIMIT 1)") == 0);
    CHECK(author.runs({"--fresh", "--resume", "ffffffffffff"}).exit_code == 3);
    CHECK(has(author.runs({"--resume", "ffffffffffff"}).err, "--resume goes with --fresh or --retry-failed"));
  }

  TEST_CASE("a shard says how the whole is finished: by the same command without its part and its file") {
    const Author author;
    for (const bool joined : {false, true}) {
      const ProgramResult run = joined ? author.runs({"--shard=1/2", "--publish=part.db"})
                                       : author.runs({"--fresh", "--shard", "1/2", "--publish", "part.db"});
      INFO(run.err);
      REQUIRE(run.exit_code == 0);
      const std::size_t at = run.err.find("does what is missing and holds the finals:");
      REQUIRE(at != std::string::npos);
      const std::string command = run.err.substr(at, run.err.find("database:") - at);
      CHECK(has(command, " TUNER_MEASURE=quick tuner run --device cpu --kernel count.toml --sizes 100\n"));
    }
    CHECK_FALSE(has(author.runs({"--shard", "1/1"}).err, "this was shard"));
    int idle = 0;  // of four parts of two configurations
    for (const std::string part : {"1/4", "2/4", "3/4", "4/4"}) {
      const ProgramResult run = author.runs({"--shard", part, "--db", part.substr(0, 1) + ".db"});
      CHECK(run.exit_code == 0);
      CHECK_FALSE(has(run.err, "known already"));
      if (has(run.out, " 100: shard " + part + " has none of its configurations")) ++idle;
    }
    CHECK(idle >= 2);
  }

  TEST_CASE("a plan counts each binary once, what is in the cache, and of what is known nothing") {
    Author author;
    author.has_own_cache();
    const auto plan = [&](const std::vector<std::string>& more = {}) {
      std::vector<std::string> command = {"plan",       "--device", "cpu",    "--kernel",
                                          "count.toml", "--sizes",  "100,200"};
      command.insert(command.end(), more.begin(), more.end());
      const ProgramResult said = author.types(command);
      CHECK_MESSAGE(said.exit_code == 0, said.err);
      return said.out;
    };
    const std::string before = plan();
    CHECK(has(before, "4 on 2 problems; 0 known, 4 left"));
    CHECK(has(before, "2, and 1 of references; 0 of both are in the cache"));
    CHECK(has(before, "count: as a sample of 2 took, compiled just now"));
    CHECK(has(before, "not worth it"));
    CHECK(has(plan({"--shard", "1/2"}), "shard 1/2"));
    REQUIRE(
        author.types({"compile", "--device", "cpu", "--kernel", "count.toml", "--sizes", "100"}).exit_code ==
        0);
    const std::string compiled = plan();
    CHECK(has(compiled, "2, and 1 of references; 3 of both are in the cache"));
    CHECK(has(compiled, "0.0 s of one core"));
    REQUIRE(author.runs({"--budget", "1", "--db", "begun.db"}).exit_code == 0);
    CHECK(has(author
                  .types({"plan", "--device", "cpu", "--kernel", "count.toml", "--sizes", "100", "--db",
                          "begun.db"})
                  .out,
              "1, and 1 of references"));
    REQUIRE(author.runs().exit_code == 0);
    CHECK(has(plan(), "2 known, 2 left"));
    CHECK(has(plan({"--fresh"}), "0 known, 4 left"));
    REQUIRE(author.runs({}, "count").exit_code == 0);
    const ProgramResult nothing =
        author.types({"plan", "--device", "cpu", "--kernel", "count.toml", "--sizes", "100"});
    CHECK(has(nothing.out, "2 known, 0 left"));
    CHECK_FALSE(has(nothing.out, "binaries"));
  }

  TEST_CASE("a reference that does not compile fails a compile, and what compiles is no failure") {
    Author author;
    author.has_own_cache();
    const std::vector<std::string> compile = {"compile",    "--device", "cpu", "--kernel",
                                              "count.toml", "--sizes",  "100"};
    const ProgramResult good = author.types(compile);
    CHECK(good.exit_code == 0);
    CHECK_FALSE(has(good.err, " failed: "));
    CHECK(has(good.err, "3 compiled in "));
    write_text(author.home / "reference.cu", "__global__ void reference(double* x) { x[0] = three; }\n");
    const ProgramResult bad = author.types(compile);
    CHECK(bad.exit_code == 1);
    CHECK(has(bad.err, "the reference of count"));
  }

  TEST_CASE(
      "a kernel that cannot be tuned as asked for is left out with the reason, and the others are not") {
    const Author author;
    const std::vector<std::string> plan = {"plan",  "--device", "cpu",       "--sizes",
                                           "64x32", "--kernel", "count.toml"};
    std::vector<std::string> both = plan;
    both.emplace_back("transpose");
    const ProgramResult planned = author.types(both);
    INFO(planned.err);
    CHECK(planned.exit_code == 0);
    CHECK(has(planned.err, "left out: "));
    CHECK(has(planned.err, "count"));
    CHECK(author.types(plan).exit_code == 2);
  }

  TEST_CASE("a run's record says where it ran") {
    const Author author;
    REQUIRE(author.runs().exit_code == 0);
    char host[256] = {};
    REQUIRE(gethostname(host, sizeof host - 1) == 0);
    CHECK(db_test::ask(author.database(), "SELECT host FROM runs") == host);
  }

  TEST_CASE("failures are those of the kernel that was asked for") {
    const Author author;
    write_kernel(author, "slow", "wrong");
    REQUIRE(author.runs({"--kernel", "slow.toml"}).exit_code == 0);
    const ProgramResult failures = author.types({"list", "failures", "--kernel", "slow"});
    CHECK(failures.exit_code == 0);
    CHECK(has(failures.out, "compile_error"));
    CHECK(author.types({"list", "failures", "--kernel", "count"}).exit_code == 3);
  }
}
