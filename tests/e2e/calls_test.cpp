// A library that a kernel calls between its launches: on the CPU device, with a library of the test's own.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, calls of libraries") {
  namespace {

  /// y = x + 1 by a kernel, doubled by a library, plus STEP by a kernel: half of the configurations call.
  void write_spec(const User& user) {
    write_text(user.home / "calls.toml", R"text([kernel]
name = "calls"
source = "calls.cu"
library = "twice.cpp"
entry = "add"
sizes = ["N"]

[parameters]
BLOCK = [32, 64]
CALLS = [0, 1]

[[launch]]
block = "BLOCK"
grid = "ceil_div(N, BLOCK)"
arguments = ["x", "y", "N"]

[[launch]]
call = "twice"
arguments = ["y", "N", "CALLS"]
workspace = "scratch"
when = "CALLS == 1"

[[launch]]
entry = "twice_here"
block = "BLOCK"
grid = "ceil_div(N, BLOCK)"
arguments = ["y", "N"]
when = "CALLS == 0"

[[launch]]
entry = "add_three"
block = "BLOCK"
grid = "ceil_div(N, BLOCK)"
arguments = ["y", "N"]

[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = "N"
init = "integers(-9, 9)"

[[arguments]]
name = "scratch"
type = "unsigned char*"
access = "workspace"
extent = "N"

[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = "N"

[[arguments]]
name = "N"
type = "int"

[verify]
reference = "reference.cu"
rounding_terms = "0"

[verify.launch]
entry = "reference"
block = 32
grid = "ceil_div(N, 32)"
arguments = ["x", "y.expected", "y.magnitude", "N"]
)text");
    write_text(user.home / "calls.cu", R"text(#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void add(const float* x, float* y, int N) { if (I < N) y[I] = x[I] + 1; }
extern "C" __global__ void twice_here(float* y, int N) { if (I < N) y[I] *= 2; }
extern "C" __global__ void add_three(float* y, int N) { if (I < N) y[I] += 3; }
)text");
    write_text(
        user.home / "reference.cu",
        R"text(extern "C" __global__ void reference(const float* x, double* expected, double* magnitude,
                                                        int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) expected[i] = magnitude[i] = 2 * (x[i] + 1.0) + 3;
}
)text");
  }

  /// `body` has y, N and a place to say that it was called.
  void write_library(const User& user, const std::string& body = "for (int i = 0; i < N; ++i) y[i] *= 2;") {
    write_text(user.home / "twice.cpp", R"text(#include <stdio.h>
#include <stdlib.h>
#include "tuner_baseline.h"
extern "C" const char* twice(const tuner_call* call) {
  if (call->argument_count != 3 || call->stream != nullptr) return "other arguments were expected";
  float* y = *static_cast<float* const*>(call->arguments[0]);
  const int N = *static_cast<const int*>(call->arguments[1]);
  if (*static_cast<const int*>(call->arguments[2]) != 1) return "CALLS is 1";
  if (call->workspace_bytes != static_cast<size_t>(N)) return "another workspace was expected";
  if (FILE* file = fopen("called", "w")) fclose(file);
  )text" + body + R"text(
  return nullptr;
}
const char* tuner_baseline_version(const char** why_not) {
  *why_not = "looked for libtwice.so";
  return getenv("NO_LIBTWICE") ? nullptr : "libtwice 1.2.3";
}
)text");
  }

  tuner::test::ProgramResult run(const User& user, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {"run",     "--kernel", "calls.toml", "--device", "cpu",
                                        "--sizes", "1000",     "--measure",  "complete"};
    command.insert(command.end(), more.begin(), more.end());
    return user.types(command);
  }

  nlohmann::json best(const User& user, const std::vector<std::string>& more) {
    std::vector<std::string> command = {"best", "1000", "--format", "json"};
    command.insert(command.end(), more.begin(), more.end());
    const auto said = user.types(command);
    INFO(said.err);
    REQUIRE(said.exit_code == 0);
    return nlohmann::json::parse(said.out)["answers"][0]["winner"];
  }

  const std::vector<std::string> that_call = {"--where", "CALLS == 1"};

  }  // namespace

  TEST_CASE("a library is called between two launches, verified, timed, remembered and named") {
    const User user;
    write_spec(user);
    write_library(user);
    const auto checked = user.types({"check", "calls.toml", "--device", "cpu"});
    INFO(checked.err);
    CHECK(checked.exit_code == 0);
    CHECK_FALSE(std::filesystem::exists(user.home / "called"));  // compiled, and not called
    const auto first = run(user);
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(has(first.err, "4 trials"));
    CHECK(std::filesystem::exists(user.home / "called"));
    const std::string trial = best(user, that_call)["trial"];
    CHECK(has(user.types({"show", trial}).out, "libtwice 1.2.3"));
    CHECK(has(run(user).err, "4 trials, all of them known already"));
    CHECK(has(user.types({"best", "1000", "--format", "flags"}).err,
              "calls also calls functions of twice.cpp, which is built apart"));
    // Nothing that travels is run: it is known there, and a run there needs the spec.
    REQUIRE(user.types({"export", "-o", "all.json"}).exit_code == 0);
    REQUIRE(user.types({"import", "all.json", "--db", "imported.db"}).exit_code == 0);
    REQUIRE(user.types({"merge", "imported.db", "--db", "merged.db"}).exit_code == 0);
    CHECK(has(run(user, {"--db", "merged.db"}).err, "4 trials, all of them known already"));
  }

  TEST_CASE("an edited library is another kernel, whose configurations are all measured again") {
    const User user;
    write_spec(user);
    write_library(user);
    REQUIRE(run(user).exit_code == 0);
    write_library(user, "for (int i = 0; i < N; ++i) y[i] = y[i] + y[i];");
    CHECK(has(user.types({"best", "1000"}).err, "calls.toml"));
    const auto again = run(user);
    CHECK(has(again.err, "4 trials"));
    CHECK_FALSE(has(again.err, "known already"));
    write_library(user);
    CHECK(has(run(user).err, "4 trials, all of them known already"));
  }

  TEST_CASE("a library that is wrong, refuses, crashes or does not compile costs what calls it alone") {
    const std::vector<std::pair<std::string, std::string>> ways = {
        {"for (int i = 0; i < N - 1; ++i) y[i] *= 2;", "wrong_result"},
        {"if (N > 0) return \"not today\";", "libtwice 1.2.3: not today"},
        {"*(volatile int*)nullptr = N;", "crashed"}};
    for (const auto& [body, words] : ways) {
      CAPTURE(words);
      const User user;
      write_spec(user);
      write_library(user, body);
      const auto result = run(user);
      INFO(result.err);
      CHECK(result.exit_code == 0);
      CHECK(has(user.types({"list", "failures"}).out, words));
      CHECK(best(user, {})["configuration"]["CALLS"] == 0);
    }
    const User user;
    write_spec(user);
    write_library(user, "this is no C++");
    CHECK(run(user).exit_code != 0);
    CHECK(has(user.types({"list", "failures"}).out, "twice.cpp:"));
  }

  TEST_CASE("where a library is missing, what does not call it is measured, and the rest once it is there") {
    User user;
    write_spec(user);
    write_library(user);
    user.environment["NO_LIBTWICE"] = "1";
    const auto without = run(user);
    INFO(without.err);
    CHECK(without.exit_code == 0);
    CHECK(has(without.err, "looked for libtwice.so"));
    CHECK(best(user, {})["configuration"]["CALLS"] == 0);
    user.environment.erase("NO_LIBTWICE");
    const auto with = run(user);
    INFO(with.err);
    CHECK(has(with.err, "4 trials, 2 of them known already"));
    CHECK(has(user.types({"show", std::string(best(user, that_call)["trial"])}).out, "libtwice 1.2.3"));
  }

  TEST_CASE("sanitizers watch the kernels around a call") {
    const User user;
    write_spec(user);
    write_library(user);
    const auto clean = user.types({"check", "calls.toml", "--device", "cpu", "--sanitize"});
    INFO(clean.err);
    INFO(clean.out);
    CHECK(clean.exit_code == 0);
    CHECK(has(clean.out, "0 findings"));
  }
}
