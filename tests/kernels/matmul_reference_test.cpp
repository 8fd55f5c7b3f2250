#include "tests/kernels/matmul_reference.hpp"

#include <doctest/doctest.h>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"

using namespace tuner;

TEST_SUITE("kernels::matmul") {
  TEST_CASE("the reference agrees with the definition, computed apart, on sampled rows") {
    compile::host::HostCompiler compiler;
    device::cpu::CpuDevice cpu;
    for (const model::ElementType type :
         {model::ElementType::float32, model::ElementType::float64, model::ElementType::int32}) {
      for (const std::int64_t padding : {0, 3}) {
        const auto check = test::check_matmul_reference(compiler, cpu, 37, 70, 45, type, padding);
        CHECK(check.compared == 3 * 70);
        CHECK(check.different == 0);
      }
    }
    CHECK(test::check_matmul_reference(compiler, cpu, 1, 1, 1, model::ElementType::float32, 0).different ==
          0);
  }
}
