#include <doctest/doctest.h>

#include <string>

#include "config/mistakes.hpp"
#include "tests/config/spec_texts.hpp"
#include "tuner/model/device.hpp"

using spec_texts::load;
using spec_texts::position_of;
using spec_texts::with;

namespace {

constexpr const char* deterministic = "deterministic = true";
constexpr const char* of_memory = "ceiling = \"memory\"\nceiling_sizes = [\"l2_bytes\"]";

void check_mistake(const std::string& text, std::string_view at, std::string_view message,
                   std::string_view hint) {
  const config::LoadedKernels loaded = load(text);
  CAPTURE(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.mistakes.size() == 1);
  const auto& mistake = loaded.mistakes[0];
  const spec_texts::Position place = position_of(text, at);
  CHECK(mistake.where.line == place.line);
  CHECK(mistake.where.column == place.column);
  CHECK(mistake.message.find(message) != std::string::npos);
  CHECK(mistake.hint.find(hint) != std::string::npos);
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a workload is read with the places of its expressions") {
  const std::string text = with(
      "[metrics]", "[workload]\noperations = \"1.0 * N\"\nbytes = \"2 * ELEMENT_BYTES * N\"\n\n[metrics]");
  const config::LoadedKernels loaded = load(text);
  CAPTURE(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  const auto& workload = loaded.kernels[0].workload;
  REQUIRE(workload.operations);
  REQUIRE(workload.bytes);
  CHECK(workload.operations->text == "1.0 * N");
  CHECK(workload.bytes->where.line == position_of(text, "\"2 * ELEMENT_BYTES * N\"").line);
}

TEST_CASE("mistakes in a workload are placed") {
  check_mistake(with("[metrics]", "[workload]\nflops = \"N\"\n\n[metrics]"), "flops",
                "unknown key \"flops\" in [workload]", "takes operations or bytes");
  check_mistake(with("[metrics]", "[workload]\nbytes = 2020-01-01\n\n[metrics]"), "2020-01-01", "found", "");
  check_mistake(with("[metrics]", "[workload]\nbytes = \"4 * BLOCK\"\n\n[metrics]"), "4 * BLOCK",
                "depends on a parameter", "every configuration");
  check_mistake(with("[metrics]", "[workload]\nbytes = \"4 * Q\"\n\n[metrics]"), "Q\"", "`Q`", "");
}

TEST_CASE("a kernel may say which of its device's ceilings it measures, and on which problem") {
  const config::LoadedKernels loaded = load(with(deterministic, of_memory));
  CAPTURE(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  CHECK(loaded.kernels[0].ceiling == "memory");
  REQUIRE(loaded.kernels[0].ceiling_sizes.size() == 1);
  CHECK(loaded.kernels[0].ceiling_sizes[0].text == "l2_bytes");
}

TEST_CASE("mistakes in a ceiling are placed") {
  check_mistake(with(deterministic, "ceiling = \"memroy\"\nceiling_sizes = [1]"), "\"memroy\"",
                "unknown kind of ceiling \"memroy\"", "did you mean \"memory\"?");
  check_mistake(with(deterministic, "ceiling = \"speed\"\nceiling_sizes = [1]"), "\"speed\"",
                "unknown kind of ceiling", "arithmetic, memory, l2, shared memory or launch");
  check_mistake(with(deterministic, "ceiling_sizes = [1]"), "ceiling_sizes", "without \"ceiling\"",
                "at most");
  check_mistake(with(deterministic, "ceiling = \"arithmetic\"\nceiling_sizes = [1]"), "\"arithmetic\"",
                "the first metric is \"GB/s\"", "GFLOP/s");
  check_mistake(with(deterministic, "ceiling = \"memory\"\nceiling_sizes = [\"3 * N\"]"), "3 * N",
                "depends on a size or a parameter", "limits");
  const config::LoadedKernels loaded = load(with(deterministic, "ceiling = \"memory\""));
  REQUIRE(loaded.mistakes.size() == 1);
  CHECK(loaded.mistakes[0].message.find("ceiling_sizes") != std::string::npos);
}

TEST_CASE("units of metrics are understood as units of ceilings") {
  using tuner::model::ceiling_unit;
  CHECK(ceiling_unit("arithmetic", "GFLOP/s") == 1e9);
  CHECK(ceiling_unit("arithmetic", "Top/s") == 1e12);
  CHECK(ceiling_unit("memory", "GB/s") == 1e9);
  CHECK(ceiling_unit("l2", "B/s") == 1);
  CHECK(ceiling_unit("launch", "ns") == 1e-9);
  CHECK_FALSE(ceiling_unit("memory", "GFLOP/s"));
  CHECK_FALSE(ceiling_unit("launch", "GB/s"));
  CHECK_FALSE(ceiling_unit("memory", "XB/s"));
  CHECK_FALSE(ceiling_unit("speed", "GB/s"));
}

TEST_SUITE_END();
