#include <doctest/doctest.h>

#include "tests/space/spec_builder.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::KernelSpec matmul() {
  model::KernelSpec spec = scale_spec();
  spec.family = "matmul";
  spec.sizes = {"M", "N", "K"};
  return spec;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("one number sets all sizes, several set each") {
  CHECK(make_problem(matmul(), {512}, std::nullopt, 0).sizes_json() == R"({"M":512,"N":512,"K":512})");
  const model::Problem problem = make_problem(matmul(), {1, 2, 3}, model::ElementType::int32, 32);
  CHECK(problem.sizes_json() == R"({"M":1,"N":2,"K":3})");
  CHECK(problem.family == "matmul");
  CHECK(problem.type == model::ElementType::int32);
  CHECK(problem.row_padding == 32);
  CHECK(make_problem(matmul(), {1}, std::nullopt, 0).type == model::ElementType::float32);
}

TEST_CASE("what the kernel does not offer is refused") {
  CHECK_THROWS_WITH_AS(make_problem(matmul(), {1, 2}, std::nullopt, 0), doctest::Contains("2 numbers"),
                       model::UsageError);
  CHECK_THROWS_WITH_AS(make_problem(matmul(), {}, std::nullopt, 0), doctest::Contains("0 numbers"),
                       model::UsageError);
  CHECK_THROWS_WITH_AS(make_problem(matmul(), {1, 0, 3}, std::nullopt, 0), doctest::Contains("N = 0"),
                       model::UsageError);
  CHECK_THROWS_WITH_AS(make_problem(matmul(), {8}, model::ElementType::float64, 0),
                       doctest::Contains("double"), model::UsageError);
  CHECK_THROWS_WITH_AS(make_problem(matmul(), {8}, std::nullopt, -1), doctest::Contains("-1"),
                       model::UsageError);
  model::KernelSpec unpadded = matmul();
  unpadded.row_padding.clear();
  CHECK_THROWS_WITH_AS(make_problem(unpadded, {8}, std::nullopt, 4), doctest::Contains("padded"),
                       model::UsageError);
}

TEST_SUITE_END();
