// kernels/matmul/sgemm on the CPU device: every way to divide the work, at sizes that leave remainders everywhere.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

/// The smallest tile that has everything.
constexpr const char* usual =
    "TILE_M=32 TILE_N=64 TILE_K=8 THREAD_M=8 THREAD_N=4 LANES_M=4 LANE_MAP=rows ORDER=rows FIRST_LOADS=a BANKS=free "
    "FFMA=intrinsic VECTOR=4 COPY_LANES=4 STAGES=3 COPY_GROUPS=2 SLICES=1 MIN_BLOCKS=1 SCHEDULE=tiles SPLIT_K=1 "
    "STREAM=all BAND=4";

/// `usual`, with `choices` made otherwise.
model::Configuration configuration(const std::string& choices) {
  std::vector<model::Assignment> assignments;
  std::istringstream words(usual + (" " + choices));
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    const std::string text = word.substr(name.size() + 1);
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    const model::Value value = is_number ? model::Value(std::stoll(text)) : model::Value(text);
    const auto known = std::find_if(assignments.begin(), assignments.end(),
                                    [&](const model::Assignment& other) { return other.name == name; });
    if (known == assignments.end()) {
      assignments.push_back({name, value});
    } else {
      known->value = value;
    }
  }
  return model::Configuration(std::move(assignments));
}

struct Size {
  std::vector<std::int64_t> extents;
  std::int64_t padding;
};

void verify(const std::string& choices, const std::vector<Size>& sizes) {
  const space::KernelSpace kernel = test::load_kernel("sgemm");
  test::Workshop workshop = test::make_workshop();
  for (const Size& size : sizes) {
    const model::Problem problem =
        space::make_problem(kernel.spec(), size.extents, std::nullopt, size.padding);
    const model::Configuration chosen = configuration(choices);
    const model::TrialOutcome outcome = workshop.run(kernel, problem, chosen);
    CAPTURE(problem.text());
    CAPTURE(chosen.text());
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    CHECK(outcome.verification.checked);
  }
}

const std::vector<Size> awkward = {
    {{1, 1, 1}, 0}, {{33, 71, 45}, 0}, {{32, 64, 64}, 0}, {{31, 63, 7}, 0}, {{131, 203, 77}, 3}, {{70, 5, 300}, 1}};
/// Rows of B and C at multiples of 16 bytes, whatever N is.
const std::vector<Size> aligned = {{{33, 72, 45}, 0}, {{37, 37, 37}, 3}, {{97, 129, 65}, 3}, {{5, 4, 9}, 0}};

}  // namespace

TEST_SUITE_BEGIN("kernels::sgemm");

TEST_CASE("whole tiles verify, with every map of the lanes and both orders") {
  for (const char* map : {"rows", "columns", "z"}) {
    verify("LANES_M=8 THREAD_M=4 LANE_MAP=" + std::string(map), {{{33, 71, 45}, 0}});
  }
  verify("ORDER=columns FIRST_LOADS=b", {{{33, 71, 45}, 0}});
}

TEST_CASE("edges verify where rows are copied float by float") {
  verify("", awkward);
}

TEST_CASE("edges verify where rows are copied 16 bytes at a time") {
  verify("VECTOR=16", aligned);
  verify("VECTOR=16 COPY_LANES=8 STAGES=2 COPY_GROUPS=1", aligned);
}

TEST_CASE("tiles that are no power of two verify") {
  verify("TILE_M=96 THREAD_M=12 LANES_M=8 TILE_N=48 THREAD_N=12 VECTOR=16", aligned);
  verify("TILE_N=96 COPY_LANES=2 TILE_K=16", awkward);
}

TEST_CASE("slices verify, also where they are more than k-tiles") {
  verify("SLICES=4", awkward);
  verify("SLICES=8 VECTOR=16", aligned);
}

TEST_CASE("split-K verifies, also where parts are more than k-tiles") {
  for (const char* parts : {"2", "3", "7"}) verify("SPLIT_K=" + std::string(parts), awkward);
  verify("SPLIT_K=3 SLICES=4", awkward);
}

TEST_CASE("stream-K verifies, with tiles shared by two blocks and by many") {
  for (const std::string blocks : {"1", "3", "16"}) {
    for (const char* stream : {"all", "last", "two"}) {
      verify("SCHEDULE=stream MIN_BLOCKS=" + blocks + " STREAM=" + stream, awkward);
    }
  }
  verify("SCHEDULE=stream MIN_BLOCKS=3 SLICES=2 VECTOR=16", aligned);
}

TEST_SUITE_END();
