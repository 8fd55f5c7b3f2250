#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner command line, recordings of other tuners") {
  namespace {

  /// A cache file of Kernel Tuner's: blocks of 32 to 1024 threads by 1 to 8 elements. Block 1024 with 8
  /// fails, 512 with 4 was not recorded, 128 with 4 is the fastest.
  void write_recording(const User& user) {
    std::string cache;
    for (const int block : {32, 64, 128, 256, 512, 1024}) {
      for (const int elements : {1, 2, 4, 8}) {
        if (block == 512 && elements == 4) continue;
        const double off = std::abs(block - 128) / 100.0 + std::abs(elements - 4);
        const std::string time =
            block == 1024 && elements == 8 ? "\"RuntimeFailedConfig\"" : std::to_string(1 + off);
        cache += (cache.empty() ? "" : ",\n") + std::string("\"") + std::to_string(block) + "," +
                 std::to_string(elements) + "\": {\"block_size_x\": " + std::to_string(block) +
                 ", \"ELEMENTS\": " + std::to_string(elements) + ", \"time\": " + time +
                 ", \"compile_time\": 80.5}";
      }
    }
    std::ofstream(user.home / "cache.json")
        << "{\"device_name\": \"Some GPU\", \"kernel_name\": \"copy\", \"problem_size\": [4096, 512],\n"
           "\"tune_params_keys\": [\"block_size_x\", \"ELEMENTS\"],\n"
           "\"tune_params\": {\"block_size_x\": [32, 64, 128, 256, 512, 1024], \"ELEMENTS\": [1, 2, 4, 8]},\n"
           "\"cache\": {"
        << cache << "}}\n";
  }

  /// A kernel of the user's with the recording's parameters, in another order.
  void write_kernel(const User& user, const std::string& elements) {
    std::ofstream(user.home / "mine.cu") << "extern \"C\" __global__ void mine(float* y) { y[0] = 1; }\n";
    std::ofstream(user.home / "reference.cu")
        << "extern \"C\" __global__ void mine_reference(double* y, double* m) { y[0] = 1; m[0] = 1; }\n";
    std::ofstream(user.home / "mine.toml") << R"(
[kernel]
name = "mine"
family = "mine"
source = "mine.cu"
entry = "mine"
sizes = ["X", "Y"]
[parameters]
ELEMENTS = )" << elements << R"(
block_size_x = [32, 64, 128, 256, 512, 1024]
[launch]
block = ["block_size_x"]
grid = ["1"]
[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = ["1"]
[verify]
reference = "reference.cu"
rounding_terms = "1"
[verify.launch]
entry = "mine_reference"
block = [1]
grid = ["1"]
arguments = ["y.expected", "y.magnitude"]
)";
  }

  ProgramResult replay(const User& user, std::vector<std::string> more) {
    std::vector<std::string> command = {"run", "--device", "replay:cache.json", "--seed", "1"};
    command.insert(command.end(), more.begin(), more.end());
    return user.types(command);
  }

  }  // namespace

  TEST_CASE("a cache file brings its kernel along: the recorded configurations are searched, and no others") {
    const User user;
    write_recording(user);
    const auto run = replay(user, {});
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.err, "Some GPU (replayed)"));
    CHECK(has(run.err, "23 trials"));
    CHECK(has(run.err, "1 trial failed"));
    CHECK(has(run.out, "block_size_x=128 ELEMENTS=4"));
    CHECK(has(run.out, "1.000 ms"));
    CHECK(has(words_of(run.out), "searched whole: all 23"));
    CHECK(has(replay(user, {}).err, "23 trials, all of them known already"));
    CHECK(has(user.types({"best", "--size", "4096x512"}).out, "block_size_x=128 ELEMENTS=4"));

    const std::string database = user.home / ".local/share/tuner/tuner.db";
    CHECK(has(user.types({"list", "failures"}).out, "failed so in the recording"));
    CHECK(has(user.types({"best", "--format", "json"}).out, "\"toolkit\": \"recorded\""));
    CHECK(has(user.types({"compare", database, database}).out, "tied at 1;"));  // it has samples

    SUBCASE("strategies can be compared on it") {
      const auto learn = replay(user, {"--strategy", "learn", "--budget", "12", "--db", "learn.db"});
      CHECK(learn.exit_code == 0);
      CHECK(has(learn.out + learn.err, "12 trials"));
    }
  }

  TEST_CASE(
      "a kernel of the user's is answered by parameters and values; what the recording lacks is skipped") {
    const User user;
    write_recording(user);
    write_kernel(user, "[1, 2, 4, 16]");
    const auto run = replay(user, {"--kernel", "mine.toml", "--sizes", "4096x512"});
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "ELEMENTS=4 block_size_x=128"));
    // Six blocks with 16, and 512 with 4.
    const auto left_out = user.types({"export", "-o", "-"});
    std::size_t skipped = 0;
    for (std::size_t at = 0; (at = left_out.out.find("not in the recording", at)) != std::string::npos; ++at)
      ++skipped;
    CHECK(skipped == 7);
  }

  TEST_CASE("what was measured is written for other tuners, read again and answered like a database") {
    const User user;
    write_recording(user);
    REQUIRE(replay(user, {}).exit_code == 0);
    for (const std::string format : {"kernel-tuner", "t4"}) {
      CAPTURE(format);
      REQUIRE(user.types({"export", "--format", format, "-o", "again.json"}).exit_code == 0);
      const auto best = user.types({"best", "--db", "again.json"});
      INFO(best.err);
      CHECK(has(best.out, "block_size_x=128 ELEMENTS=4"));
      CHECK(has(best.out, "1.000 ms"));
      CHECK(has(best.out + best.err, "or a recording does not tell"));
      CHECK(user.types({"report", "--db", "again.json"}).exit_code == 0);
      CHECK(has(user.types({"list", "failures", "--db", "again.json"}).out, "launch_error"));
      CHECK(has(user.types({"compare", "again.json", "again.json"}).out, "tied at 1;"));
      CHECK(has(user.types({"import", "again.json", "--db", format + ".db"}).err, "23 trials"));
      const auto replayed =
          user.types({"run", "--device", "replay:again.json", "--seed", "1", "--db", format + "2.db"});
      CHECK(has(replayed.out, "block_size_x=128 ELEMENTS=4"));
    }
    const auto wisdom = user.types({"export", "--format", "kernel-launcher", "-o", "wisdom/"});
    CHECK(has(wisdom.err, "1 file written"));
    std::ifstream file(user.home / "wisdom/copy.wisdom");
    std::string header;
    std::string record;
    std::getline(file, header);
    std::getline(file, record);
    CHECK(has(header, R"("tunable_parameters":["block_size_x","ELEMENTS"])"));
    CHECK(has(record, R"("config":[128,4],"problem_size":[4096,512],"time":1.0)"));
  }

  TEST_CASE("several files of another tuner need a folder, and nothing selected is said so") {
    const User user;
    write_recording(user);
    REQUIRE(replay(user, {}).exit_code == 0);
    write_kernel(user, "[1, 2]");
    REQUIRE(replay(user, {"--kernel", "mine.toml", "--sizes", "4096x512"}).exit_code == 0);
    const auto refused = user.types({"export", "--format", "t4"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "2 files would be written, one for each kernel, problem and environment"));
    CHECK(has(user.types({"export", "--format", "t4", "-o", "results/"}).err, "2 files written"));
    CHECK(user.types({"export", "--format", "t4", "--kernel", "mine", "-o", "mine.json"}).exit_code == 0);
    CHECK(user.types({"export", "--format", "t4", "--kernel", "nobody"}).exit_code == 3);
    CHECK(user.types({"export", "--format", "xml"}).exit_code == 2);
  }

  TEST_CASE("another clock or another family makes another file, and nothing else does") {
    const User user;
    {
      db::ResultStore store(user.home / "t.db");
      for (int i = 0; i < 6; ++i) {
        auto trial = db_test::timed_trial(std::to_string(i), 512, 100 + i);
        trial.environment.clock_mhz = i % 2 == 0 ? 1000 : 1500;
        if (i == 5) trial.problem.family = "of another";
        store.record(trial);
      }
    }
    const auto written = user.types({"export", "--format", "kernel-tuner", "--db", "t.db", "-o", "results/"});
    CHECK(has(written.err, "3 files written"));
    const auto wisdom = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words = {"export", "--format", "kernel-launcher", "--db", "t.db"};
      words.insert(words.end(), more.begin(), more.end());
      return user.types(words);
    };
    REQUIRE(wisdom({"-o", "wisdom/"}).exit_code == 0);
    CHECK(has(tuner::test::read_text(user.home / "wisdom/of_another_register_tile.wisdom"),
              R"("key":"of_another_register_tile")"));
    CHECK(has(wisdom({"--family", "of another"}).out, R"("key":"register_tile")"));
  }

  TEST_CASE("a kernel that a format has no words for is left out, and the others are written") {
    const User user;
    write_recording(user);
    std::ofstream(user.home / "batched.json")
        << R"({"kernel_name": "batched", "problem_size": [2, 64, 64, 64], "tune_params": {"A": [1]},
"cache": {"1": {"A": 1, "time": 1.5}}})";
    REQUIRE(user.types({"import", "cache.json", "batched.json"}).exit_code == 0);
    const auto both = user.types({"export", "--format", "kernel-launcher", "-o", "wisdom/"});
    CHECK(both.exit_code == 0);
    CHECK(has(both.err, "left out: batched has 4 sizes: kernel_launcher knows three"));
    CHECK(has(both.err, "1 file written"));
    CHECK(std::filesystem::exists(std::filesystem::path(user.home / "wisdom/copy.wisdom")));
    const auto none = user.types({"export", "--format", "kernel-launcher", "--kernel", "batched"});
    CHECK(none.exit_code == 1);
    CHECK(has(none.err, "tuner: batched has 4 sizes"));
  }

  TEST_CASE("where nothing answers, the next step is one that helps") {
    const User user;
    write_recording(user);
    std::ofstream(user.home / "failed.json")
        << R"({"kernel_name": "failed", "problem_size": [64], "tune_params": {"A": [1]},
"cache": {"1": {"A": 1, "time": "CompilationFailedConfig"}}})";
    REQUIRE(user.types({"import", "cache.json", "failed.json"}).exit_code == 0);
    const auto failed = user.types({"best", "--kernel", "failed"});
    CHECK(failed.exit_code == 3);
    CHECK(has(failed.err, "`tuner list failures` says why"));
    CHECK(has(user.types({"best", "--gpu", "Other"}).err, "answers are of Some GPU"));
    // Those of another type are no answers to what was asked.
    CHECK_FALSE(has(user.types({"best", "--gpu", "Other", "--type", "double"}).err, "answers are of"));
  }

  TEST_CASE("a recording of scores is searched, and says that they are no times") {
    const User user;
    std::ofstream(user.home / "cache.json")
        << R"({"kernel_name": "pso", "problem_size": [], "tune_params": {"A": [1, 2]}, "objective": "score",
"cache": {"1": {"A": 1, "score": -1.5}, "2": {"A": 2, "score": 0.5}}})";
    const auto run = replay(user, {});
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.err, "what is shown as milliseconds is 1 + 0.5 - score"));
    CHECK(has(run.out, "A=2"));
  }

  TEST_CASE("what a recording cannot answer is refused with the reason, before anything is written") {
    const User user;
    write_recording(user);
    write_kernel(user, "[1, 2]");
    const auto refused = [&](const std::vector<std::string>& more, const std::string& reason) {
      const auto run = replay(user, more);
      CAPTURE(run.err);
      CHECK(run.exit_code == 2);
      CHECK(has(run.err, reason));
    };
    refused({"--sizes", "64"}, "--sizes 64: the recording is of 4096x512");
    refused({"--type", "double"}, "--type double: the recording is of 4096x512 float");
    refused({"--pad", "32"}, "--pad 32: the recording is of 4096x512 float");
    CHECK(replay(user, {"--objective", "energy"}).exit_code == 4);
    CHECK(has(replay(user, {"--objective", "energy"}).err, "the recording has no energy"));
    refused({"--kernel", "mine.toml", "--sizes", "64x64"}, "it is of 4096x512, not of 64");
    refused({"--kernel", "naive", "--sizes", "64"}, "has no parameter block_size_x, ELEMENTS");
    std::ofstream(user.home / "cache.json") << "{\"cache\": 3}";
    const auto broken = replay(user, {});
    CHECK(broken.exit_code == 1);
    CHECK(has(broken.err, "cache.json"));
  }
}
