#include <doctest/doctest.h>

#include "tests/device/gpu.hpp"
#include "tests/kernels/matmul_reference.hpp"

using namespace tuner;

TEST_SUITE("kernels::matmul on a GPU") {
  TEST_CASE("the reference agrees with the CPU on sampled rows") {
    compile::Compiler& compiler = *tests::gpu().compiler;
    device::Device& device = *tests::gpu().device;
    for (const model::ElementType type :
         {model::ElementType::float32, model::ElementType::float64, model::ElementType::int32}) {
      for (const std::int64_t padding : {0, 3}) {
        CHECK(test::check_matmul_reference(compiler, device, 37, 70, 45, type, padding).different == 0);
        const auto large = test::check_matmul_reference(compiler, device, 1027, 515, 1333, type, padding);
        CHECK(large.compared == 3 * 515);
        CHECK(large.different == 0);
      }
    }
  }
}
