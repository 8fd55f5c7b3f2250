// kernels/matmul/sgemm on the CPU device: every way to divide the work, at sizes that leave remainders
// everywhere. And its spaces, as an H200 has them.
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
    "TILE_M=32 TILE_N=64 TILE_K=8 THREAD_M=8 THREAD_N=4 LANES_M=4 LANE_MAP=rows ORDER=rows FIRST_LOADS=a "
    "BANKS=free "
    "FFMA=intrinsic VECTOR=4 COPY_LANES=4 STAGES=3 COPY_GROUPS=2 SLICES=1 MIN_BLOCKS=1 SCHEDULE=tiles "
    "SPLIT_K=1 "
    "STREAM=all BAND=4 OVERLAP=0";

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

const std::vector<Size> awkward = {{{1, 1, 1}, 0},   {{33, 71, 45}, 0},   {{32, 64, 64}, 0},
                                   {{31, 63, 7}, 0}, {{131, 203, 77}, 3}, {{70, 5, 300}, 1}};
/// Rows of B and C at multiples of 16 bytes, whatever N is.
const std::vector<Size> aligned = {{{33, 72, 45}, 0}, {{37, 37, 37}, 3}, {{97, 129, 65}, 3}, {{5, 4, 9}, 0}};

model::DeviceLimits h200_limits() {
  model::DeviceLimits limits;
  limits.multiprocessors = 132;
  limits.shared_bytes_per_block_optin = 232448;
  limits.shared_bytes_per_multiprocessor = 233472;
  return limits;
}

/// Sizes as they are measured, odd ones, between them, thin and flat ones.
std::vector<Size> sizes_to_tune() {
  std::vector<Size> sizes;
  for (std::int64_t size = 512; size <= 4096; size += 128) sizes.push_back({{size, size, size}, 0});
  for (const std::int64_t size : {544, 600, 700, 850, 960, 1001, 1088, 1100, 1919, 2047, 3001, 5000}) {
    sizes.push_back({{size, size, size}, 0});
  }
  sizes.push_back({{2048, 2048, 2048}, 3});
  sizes.push_back({{64, 4096, 4096}, 0});
  sizes.push_back({{4096, 64, 4096}, 0});
  sizes.push_back({{4096, 4096, 64}, 0});
  sizes.push_back({{8192, 512, 2048}, 0});
  sizes.push_back({{200000, 8, 64}, 0});
  return sizes;
}

/// What is listed, as it would be were each constraint one term that nobody can look into.
std::vector<std::string> listed(model::KernelSpec spec, const Size& size, bool opaque) {
  for (auto* constraints : {&spec.constraints, &spec.worth_trying})
    for (model::Expression& one : *constraints)
      if (opaque) one.text = "0 + (" + one.text + ")";
  const model::Problem problem = space::make_problem(spec, size.extents, std::nullopt, size.padding);
  const space::ConfigurationList list = space::KernelSpace(spec).list(problem, h200_limits());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.size(); ++i) texts.push_back(list[i].text());
  return texts;
}

}  // namespace

TEST_SUITE_BEGIN("kernels::sgemm");

TEST_CASE("alternatives that are left early are the same configurations, in the same order") {
  const model::KernelSpec spec = test::load_kernel("sgemm").spec();
  for (const Size& size : {Size{{512, 512, 512}, 0}, Size{{1001, 1001, 1001}, 0}, Size{{64, 4096, 4096}, 0},
                           Size{{4096, 4096, 4096}, 0}, Size{{131, 203, 77}, 3}}) {
    CAPTURE(size.extents);
    const std::vector<std::string> quick = listed(spec, size, false);
    CHECK(quick.size() > 0);
    CHECK(quick == listed(spec, size, true));
  }
}

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
  // More parts than the last block loads at once.
  verify("SPLIT_K=19 SLICES=8", {{{33, 71, 300}, 0}});
}

TEST_CASE("tiles of 32 columns verify") {
  for (const char* tile : {"TILE_M=64 THREAD_M=8", "TILE_M=32 THREAD_M=4"})
    verify(std::string(tile) + " TILE_N=32 THREAD_N=8 LANES_M=8 LANE_MAP=z SLICES=4 SPLIT_K=2", awkward);
}

TEST_CASE("stream-K verifies, with tiles shared by two blocks and by many") {
  for (const std::string blocks : {"1", "3", "16"}) {
    for (const char* stream : {"all", "last", "two"}) {
      verify("SCHEDULE=stream MIN_BLOCKS=" + blocks + " STREAM=" + stream, awkward);
    }
  }
  verify("SCHEDULE=stream MIN_BLOCKS=3 SLICES=2 VECTOR=16", aligned);
}

TEST_CASE("each product has a few configurations to try, all of which the wide space has too") {
  const space::KernelSpace kernel = test::load_kernel("sgemm");
  const space::KernelSpace wide = test::load_kernel("sgemm_wide");
  const model::DeviceLimits limits = h200_limits();
  for (const Size& size : sizes_to_tune()) {
    const model::Problem problem =
        space::make_problem(kernel.spec(), size.extents, std::nullopt, size.padding);
    CAPTURE(problem.text());
    int count = 0;
    kernel.enumerate(problem, limits, [&](const model::Configuration& choice) {
      ++count;
      CAPTURE(choice.text());
      CHECK(wide.allows(problem, choice, limits));
      return true;
    });
    CHECK(count >= 1);
    CHECK(count <= 24);
    CHECK(wide.list(problem, limits).size() <= 4000);
  }
}

TEST_CASE("small, narrow and flat products have small tiles to try, and large squares have none") {
  const space::KernelSpace kernel = test::load_kernel("sgemm_small");
  const auto count = [&](const std::vector<std::int64_t>& extents) {
    return kernel.list(space::make_problem(kernel.spec(), extents, std::nullopt, 0), h200_limits()).size();
  };
  for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{128, 128, 128},
                                                   {512, 512, 512},
                                                   {62, 124, 6001},
                                                   {4935, 23, 2413},
                                                   {512, 2352, 40},
                                                   {528, 9824, 2280},
                                                   {14784, 1792, 256},
                                                   {16, 352, 832}}) {
    CAPTURE(extents);
    CHECK(count(extents) >= 2);
    CHECK(count(extents) <= 30);
  }
  for (const std::int64_t size : {1536, 2048, 4096}) CHECK(count({size, size, size}) == 0);
}

TEST_CASE("products too small to tune have something to run, and odd ones all that copies float by float") {
  const space::KernelSpace kernel = test::load_kernel("sgemm");
  const auto count = [&](const Size& size) {
    return kernel
        .list(space::make_problem(kernel.spec(), size.extents, std::nullopt, size.padding), h200_limits())
        .size();
  };
  for (const std::int64_t size : {1, 2, 3, 4, 31, 64, 99, 100, 127, 256, 400}) {
    CAPTURE(size);
    CHECK(count({{size, size, size}, 0}) >= 1);
  }
  const std::size_t below_a_tile = count({{33, 71, 45}, 0});
  CHECK(below_a_tile >= 14);
  CHECK(count({{131, 203, 77}, 3}) == below_a_tile);
}

TEST_SUITE_END();
