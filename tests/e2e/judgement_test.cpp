// What is right, from the spec to every place that shows a time.
#include <doctest/doctest.h>

#include <string>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, what is right") {
  namespace {

  const std::string head = R"text([kernel]
name = "twice"
source = "twice.cu"
entry = "twice"
sizes = ["N"]

[parameters]
BLOCK = [32, 64]

[launch]
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK)"]

[[arguments]]
name = "N"
type = "int"

)text";

  const std::string files = R"text([[arguments]]
name = "x"
type = "float*"
access = "in"
extent = ["N"]
init = "file(x.bin)"

[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = ["N"]
expected = "file(y.bin)"

[verify]
rounding_terms = 0
)text";

  /// N floats that count in steps of `step`.
  std::string counting(int numbers, float step) {
    std::string bytes;
    for (int i = 0; i < numbers; ++i) {
      const float value = static_cast<float>(i) * step;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
  }

  void write_source(const User& user) {
    write_text(user.home / "twice.cu",
               R"text(extern "C" __global__ void twice(int N, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
}
)text");
  }

  const std::vector<std::string> run = {"run",     "--kernel", "twice.toml", "--device", "cpu",
                                        "--sizes", "100",      "--report",   "report.md"};

  }  // namespace

  TEST_CASE("times of what nobody verifies are called unverified wherever they are shown") {
    const User user;
    write_source(user);
    std::string text = "verify = \"none\"\n" + head + files.substr(0, files.find("expected"));
    text.replace(text.find("file(x.bin)"), 11, "uniform(0, 1)");
    write_text(user.home / "twice.toml", text);
    const auto first = user.types(run);
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(has(first.out, " unverified"));
    CHECK(has(tuner::test::read_text(user.home / "report.md"), " unverified"));
    CHECK(has(user.types({"best", "--size", "100"}).out, " unverified"));
    CHECK(has(user.types({"best", "--size", "100", "--format", "json"}).out, "\"checked\": false"));
    CHECK(has(user.types({"best", "--size", "100", "--format", "header"}).out, "// unverified"));
    CHECK(has(user.types({"report", "--format", "json"}).out, "\"checked\":false"));
    CHECK(has(user.types({"report", "--format", "html"}).out, "\"verification.checked\":{\"all\":false}"));
    CHECK(has(user.types({"list", "kernels", "twice.toml"}).out, "(unverified)"));
  }

  TEST_CASE("inputs and what is expected may be files, whose contents decide what is measured again") {
    const User user;
    write_source(user);
    write_text(user.home / "twice.toml", head + files);
    write_text(user.home / "x.bin", counting(100, 1));
    write_text(user.home / "y.bin", counting(100, 2));
    const auto first = user.types(run);
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(has(first.err, "2 trials"));
    CHECK_FALSE(has(first.out, "unverified"));
    CHECK(has(user.types({"best", "--size", "100", "--format", "json"}).out, "\"rule\": \"equal\""));
    CHECK(has(user.types(run).err, "all of them known already"));

    write_text(user.home / "y.bin", counting(100, 3));
    const auto wrong = user.types(run);
    CHECK(has(wrong.err, "2 trials failed"));
    write_text(user.home / "x.bin", counting(100, 1.5));
    const auto right = user.types(run);
    INFO(right.err);
    CHECK(right.exit_code == 0);
    CHECK_FALSE(has(right.err, "known already"));

    write_text(user.home / "x.bin", counting(99, 1));
    CHECK(has(user.types(run).err, "`x` is 100, and its file"));
  }
}
