#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::read_text;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, baselines") {
  namespace {

  /// Counting, with a kernel that wastes time, so that a library wins whatever the machine does.
  void write_counting(const User& user, const std::string& baselines) {
    write_text(user.home / "count.toml", R"text([kernel]
name = "count"
family = "counting"
source = "count.cu"
entry = "count"
sizes = ["N"]

[derived]
blocks = "ceil_div(N, BLOCK)"
twice = "2 * N"

[parameters]
BLOCK = [32, 64]

[launch]
block = ["BLOCK"]
grid = ["blocks"]

[[arguments]]
name = "start"
type = "float*"
access = "in"
extent = ["N"]
init = "integers(-9, 9)"

[[arguments]]
name = "scratch"
type = "float*"
access = "workspace"
extent = ["blocks"]

[[arguments]]
name = "x"
type = "float*"
access = "out"
extent = ["N"]

[[arguments]]
name = "N"
type = "int"

[verify]
reference = "reference.cu"
rounding_terms = "0"

[verify.launch]
entry = "count_reference"
block = [32]
grid = ["ceil_div(N, 32)"]
arguments = ["start", "x.expected", "x.magnitude", "N"]

[metrics]
"elements/ns" = "1.0 * N / time_ns"
)text" + baselines);
    write_text(user.home / "count.cu",
               R"text(extern "C" __global__ void count(const float* start, float*, float* x, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float wasted = 0;
  for (int s = 0; s < 2000; ++s) wasted = wasted + 1;
  if (i < N) x[i] = start[i] + i;
}
)text");
    write_text(user.home / "reference.cu",
               R"text(extern "C" __global__ void count_reference(const float* start, double* expected,
                                                 double* magnitude, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) expected[i] = magnitude[i] = start[i] + double(i);
}
)text");
  }

  std::string table(const std::string& name, const std::string& source) {
    return "\n[[baseline]]\nname = \"" + name + "\"\nsource = \"" + source +
           "\"\narguments = [\"start\", \"x\", \"N\", \"twice\"]\nworkspace_bytes = \"twice\"\n"
           "description = \"a loop\"\ndevices = [\"cpu\"]\n";
  }

  /// A library that is there, as `body` has it do its work.
  void write_library(const User& user, const std::string& file, const std::string& body) {
    write_text(user.home / file, R"text(#include "tuner_baseline.h"
const char* tuner_baseline(const tuner_call* call) {
  if (call->argument_count != 4 || call->stream != nullptr) return "other arguments were expected";
  const float* start = *static_cast<const float* const*>(call->arguments[0]);
  float* x = *static_cast<float* const*>(call->arguments[1]);
  const int N = *static_cast<const int*>(call->arguments[2]);
  if (*static_cast<const int*>(call->arguments[3]) != 2 * N) return "twice is wrong";
  if (call->workspace_bytes != static_cast<size_t>(2 * N)) return "another workspace was expected";
  )text" + body + R"text(
  return nullptr;
}
const char* tuner_baseline_version(const char**) { return "libcount 1.2.3"; }
)text");
  }

  constexpr const char* right = "for (int i = 0; i < N; ++i) x[i] = start[i] + i;";

  tuner::test::ProgramResult run(const User& user, const std::vector<std::string>& more = {},
                                 const std::string& sizes = "1000") {
    std::vector<std::string> command = {"run", "--kernel", "count.toml", "--device", "cpu", "--sizes", sizes};
    command.insert(command.end(), more.begin(), more.end());
    return user.types(command);
  }

  /// A dead process that its parent has not asked for lives no more.
  bool lives(int process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/status");
    const std::string said((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return !said.empty() && !has(said, "State:\tZ");
  }

  nlohmann::json best(const User& user) {
    return nlohmann::json::parse(
        user.types({"best", "--size", "1000", "--format", "json"}).out)["answers"][0];
  }

  /// What `show` says of the first trial that `list` has of these words.
  std::string shown(const User& user, const std::string& words) {
    const std::string list = user.types({"list", "failures"}).out;
    // A block of keys and values, indented below the identifier.
    std::size_t line = list.rfind('\n', list.find(words)) + 1;
    while (line > 0 && list[line] == ' ') line = list.rfind('\n', line - 2) + 1;
    return user.types({"show", list.substr(line, list.find_first_of(" \n", line) - line)}).out;
  }

  }  // namespace

  TEST_CASE("a library that two families name is told once") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    const std::string names = "name = \"count\"\nfamily = \"counting\"";
    std::string other = read_text(user.home / "count.toml");
    other.replace(other.find(names), names.size(), "name = \"other\"");
    write_text(user.home / "other.toml", other);
    const auto both = run(user, {"--kernel", "other.toml"});
    INFO(both.err);
    CHECK(both.exit_code == 0);
    CHECK(has(both.err, "timed beside libcount, one trial at every size"));
  }

  TEST_CASE("in a family a library's name means one library, and no kernel") {
    const User user;
    write_library(user, "libcount.cpp", right);
    write_library(user, "other.cpp", "return \"another\";");
    const auto with_other = [&](const std::string& baselines) {
      write_counting(user, baselines);
      std::string other = read_text(user.home / "count.toml");
      write_text(user.home / "other.toml", other.replace(other.find("\"count\""), 7, "\"other\""));
      write_counting(user, table("libcount", "libcount.cpp"));
      return run(user, {"--kernel", "other.toml"});
    };
    const auto same = with_other(table("libcount", "libcount.cpp"));
    INFO(same.err);
    CHECK(same.exit_code == 0);
    CHECK(has(same.err, "timed beside libcount, one trial at every size"));
    const auto different = with_other(table("libcount", "other.cpp"));
    INFO(different.err);
    CHECK(different.exit_code == 2);
    CHECK(has(different.err, "another baseline of family counting is called \"libcount\""));
    CHECK(has(different.err, "it is at count.toml:"));
    const auto kernel = with_other(table("count", "libcount.cpp"));
    INFO(kernel.err);
    CHECK(kernel.exit_code == 2);
    CHECK(has(kernel.err, "a kernel of family counting is called \"count\""));
  }

  TEST_CASE("a library is timed in the same final, shown as a ratio, and never chosen") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    const auto first = run(user, {"--report", "report.md"});
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(has(first.err, "timed beside libcount"));
    CHECK(has(first.err, "3 trials"));
    CHECK(has(first.out, "BLOCK="));
    CHECK(has(first.out, "× libcount"));
    const auto best = user.types({"best", "--size", "1000", "--format", "json"});
    CHECK(has(best.out, "\"kernel\": \"count\""));
    CHECK(has(best.out, "\"baselines\""));
    CHECK(has(best.out, "libcount 1.2.3; a loop"));
    CHECK(has(best.out, "\"paired\": true"));
    CHECK(has(user.types({"best", "--size", "1000"}).err, "libcount takes "));
    CHECK(has(read_text(user.home / "report.md"), "× libcount"));

    const auto asked = user.types({"best", "1000", "--kernel", "libcount"});
    CHECK(asked.exit_code == 3);
    CHECK(has(asked.err, "a library is never chosen"));
    const nlohmann::json all = nlohmann::json::parse(best.out)["answers"][0];
    const auto against =
        user.types({"compare", all["winner"]["trial"].get<std::string>(),
                    all["baselines"][0]["trial"].get<std::string>(), "--fresh", "--device", "cpu"});
    CHECK_MESSAGE(has(against.out, "A is slower than B"), against.err);

    const auto again = run(user);
    CHECK(has(again.err, "3 trials, all of them known already"));
    CHECK_FALSE(has(again.err, "once more, in turn"));
    CHECK(again.out == first.out);
  }

  TEST_CASE("a budget of trials is for kernels: libraries are beside it") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    const auto ended = run(user, {"--budget", "1"});
    INFO(ended.err);
    CHECK(ended.exit_code == 0);
    CHECK(has(ended.err, "2 trials in "));
    CHECK(has(ended.err, "the budget is spent"));
    CHECK(has(ended.out, "BLOCK="));
    // A size that has its library alone was not begun.
    CHECK(
        has(run(user, {"--budget", "1", "--fresh"}, "1000,2000").out, ": not started: the budget is spent"));
  }

  TEST_CASE("--baselines off measures none, and says nothing of those known") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    const auto without = run(user, {"--baselines", "off"});
    CHECK(without.exit_code == 0);
    CHECK(has(without.err, "2 trials"));
    CHECK_FALSE(has(without.out, "libcount"));
    const auto with = run(user);
    CHECK(has(with.err, "3 trials, 2 of them known already"));
    CHECK(has(with.out, "× libcount"));
    const auto off_again = run(user, {"--baselines", "off"});
    CHECK(off_again.exit_code == 0);
    CHECK_FALSE(has(off_again.err, "not in the final"));
  }

  TEST_CASE("a library that is not there is said once, and taken once it is") {
    User user;
    write_counting(user, table("libcount", "absent.cpp"));
    write_text(user.home / "absent.cpp", R"text(#include <stdlib.h>
#include "tuner_baseline.h"
const char* tuner_baseline(const tuner_call* call) {
  for (int i = 0; i < *(const int*)call->arguments[2]; ++i)
    (*(float* const*)call->arguments[1])[i] = (*(const float* const*)call->arguments[0])[i] + i;
  return nullptr;
}
const char* tuner_baseline_version(const char** why_not) {
  *why_not = "looked for libcount.so";
  return getenv("HAS_LIBCOUNT") ? "libcount 1" : nullptr;
}
)text");
    const auto result = run(user, {}, "1000,2000");
    INFO(result.err);
    CHECK(result.exit_code == 0);
    const std::size_t said = result.err.find("no times of libcount: skipped: looked for libcount.so");
    REQUIRE(said != std::string::npos);
    CHECK(result.err.find("no times of libcount", said + 1) == std::string::npos);
    CHECK(has(result.out, "BLOCK="));
    CHECK_FALSE(has(result.out, "× libcount"));
    user.environment["HAS_LIBCOUNT"] = "1";
    CHECK(has(run(user, {}, "1000,2000").out, "× libcount"));
  }

  TEST_CASE("a library with device code is made by nvcc, and left out where there is none") {
    User user;
    user.environment["TUNER_NVCC"] = user.home / "nvcc";
    write_counting(user, table("libcount", "libcount.cu"));
    write_library(user, "libcount.cu", right);
    const auto without = run(user);
    INFO(without.err);
    CHECK(without.exit_code == 0);
    CHECK(has(without.err, "no times of libcount: skipped: it has device code, for nvcc"));
    CHECK_FALSE(has(without.out, "× libcount"));
    // Stands in for nvcc: its options are not the host compiler's.
    write_text(user.home / "nvcc",
               "#!/bin/sh\nsleep 6\nexec c++ -shared -fPIC -o kernel.so "
               "-I source/1/2/3/4 -x c++ unit.cpp\n");
    std::filesystem::permissions(user.home / "nvcc", std::filesystem::perms::owner_all);
    const auto with = run(user);
    CHECK(has(with.out, "× libcount"));
    CHECK(has(with.err, "waiting for a compiler: libcount at "));
    CHECK_FALSE(has(without.err, "waiting for a compiler: "));
  }

  TEST_CASE("a budget that ends while a compiler works holds its final, and leaves no process behind") {
    User user;
    user.environment["TUNER_NVCC"] = user.home / "nvcc";
    write_counting(user, table("libcount", "libcount.cu"));
    write_library(user, "libcount.cu", right);
    write_text(user.home / "nvcc",
               "#!/bin/sh\nsleep 300 &\necho $$ $! >" + (user.home / "pids") + "\nwait\n");
    std::filesystem::permissions(user.home / "nvcc", std::filesystem::perms::owner_all);
    const auto result = run(user, {"--budget", "5s"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "the budget is spent; to go on:"));
    CHECK(has(result.out, "BLOCK="));
    CHECK_FALSE(has(result.out, "× libcount"));
    std::ifstream in(user.home / "pids");
    int program = 0;
    int child = 0;
    in >> program >> child;
    REQUIRE(child > 0);
    for (int i = 0; i < 50 && (lives(program) || lives(child)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(lives(program));
    CHECK_FALSE(lives(child));
  }

  TEST_CASE("a library whose headers are missing is left out, and has its part once CPATH names them") {
    User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    std::ifstream in(user.home / "libcount.cpp");
    const std::string caller((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    write_text(user.home / "libcount.cpp",
               "#if !__has_include(<libcount/count.h>)\n#error \"not there: count.h; CPATH names its "
               "folder\"\n#endif\n#include <libcount/count.h>\n" +
                   caller);
    const auto without = run(user);
    INFO(without.err);
    CHECK(without.exit_code == 0);
    CHECK(has(without.err, "no times of libcount: skipped: "));
    CHECK(has(without.err, "not there: count.h; CPATH names its"));
    CHECK_FALSE(has(without.out, "× libcount"));
    std::filesystem::create_directories(user.home / "headers/libcount");
    write_text(user.home / "headers/libcount/count.h", "#pragma once\n");
    user.environment["CPATH"] = user.home / "headers";
    CHECK(has(run(user).out, "× libcount"));
  }

  TEST_CASE("a library that crashes, or is wrong, costs its row alone") {
    const User user;
    write_counting(user, table("crashing", "crashing.cpp") + table("wrong", "wrong.cpp") +
                             table("libcount", "libcount.cpp") + table("refusing", "refusing.cpp") +
                             table("broken", "broken.cpp"));
    write_library(user, "crashing.cpp", "*(volatile int*)nullptr = N;");
    write_library(user, "wrong.cpp", "for (int i = 0; i < N - 1; ++i) x[i] = start[i] + i;");
    write_library(user, "refusing.cpp", "if (start != x) return \"not today\";");
    write_library(user, "libcount.cpp", right);
    write_text(user.home / "broken.cpp", "this is no C++\n");
    const auto result = run(user);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(has(result.out, "BLOCK="));
    CHECK(has(result.out, "× libcount"));
    CHECK(has(result.err, "no times of crashing: crashed"));
    CHECK(has(result.err, "no times of wrong: wrong_result"));
    CHECK(has(result.err, "libcount 1.2.3: not today"));
    CHECK(has(result.err, "no times of broken: compile_error: broken.cpp:1"));
    CHECK_FALSE(has(result.out, "× wrong"));
    CHECK(has(shown(user, "wrong_result"), "wrong elements"));
  }

  TEST_CASE("a library that is wrong at another size than that asked for is timed: it has no probes") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", "for (int i = 0; i < N; ++i) x[i] = start[i] + (N == 1000 ? i : 0);");
    const auto result = run(user);
    INFO(result.err);
    CHECK(has(result.out, "× libcount"));
    CHECK(has(run(user, {}, "999").err, "no times of libcount: wrong_result"));
  }

  TEST_CASE("a library is measured again beside a kernel, by hand") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    REQUIRE(run(user).exit_code == 0);
    const nlohmann::json answer = best(user);
    const auto fresh = user.types({"compare", answer["winner"]["trial"], answer["baselines"][0]["trial"],
                                   "--fresh", "--kernel", "count.toml", "--device", "cpu"});
    INFO(fresh.err);
    CHECK(fresh.exit_code == 0);
    CHECK(has(fresh.out, "A is slower than B"));
    CHECK(has(fresh.out, "measured now"));
  }

  TEST_CASE("a library that the spec names no longer is not shown, until it is named again") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    const auto first = run(user);
    REQUIRE(has(first.out, "× libcount"));
    write_counting(user, "");
    const auto without = run(user);
    CHECK(has(without.err, "2 trials, all of them known already"));
    CHECK_FALSE(has(without.out, "libcount"));
    CHECK_FALSE(has(user.types({"best", "--size", "1000"}).err, "libcount"));
    write_counting(user, table("libcount", "libcount.cpp"));
    const auto again = run(user);
    CHECK(has(again.err, "3 trials, all of them known already"));
    CHECK(again.out == first.out);
  }

  TEST_CASE("what a library did is exported, imported, merged and forgotten like any trial") {
    const User user;
    write_counting(user, table("libcount", "libcount.cpp"));
    write_library(user, "libcount.cpp", right);
    // Nothing is dropped early: what was only just dropped may be measured again after an import.
    const std::vector<std::string> complete = {"--measure", "complete"};
    REQUIRE(run(user, complete).exit_code == 0);
    const nlohmann::json answer = best(user);
    REQUIRE(user.types({"export", "-o", "all.json"}).exit_code == 0);
    REQUIRE(user.types({"import", "all.json", "--db", "imported.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "imported.db", "--db", "merged.db"}).exit_code == 0);
    for (const std::string database : {"imported.db", "merged.db"}) {
      const auto there = user.types({"best", "--size", "1000", "--format", "json", "--db", database});
      CHECK(nlohmann::json::parse(there.out)["answers"][0]["baselines"] == answer["baselines"]);
      CHECK(has(run(user, {"--measure", "complete", "--db", database}).err,
                "3 trials, all of them known already"));
    }
    CHECK(user.types({"forget", "--kernel", "libcount"}).exit_code == 0);
    CHECK_FALSE(has(user.types({"best", "--size", "1000"}).out, "× libcount"));
    const auto again = run(user, complete);
    CHECK(has(again.err, "3 trials, 2 of them known already"));
    CHECK(has(again.out, "× libcount"));
    CHECK(best(user)["winner"]["kernel"] == "count");
  }
}
