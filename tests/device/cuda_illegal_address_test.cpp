#include <doctest/doctest.h>

#include "tests/device/gpu.hpp"

using tests::gpu;
using tuner::device::DeviceFault;
using tuner::model::TrialStatus;

// The last test of its process: nothing works after it.
TEST_SUITE("tuner::device::cuda illegal address") {
  TEST_CASE(
      "an illegal address crashes the trial and costs the device, and cleaning up after it does no harm") {
    const auto memory = tests::filled(tuner::model::ElementType::float32, 1000, {});
    const auto loaded =
        tests::load(R"(extern "C" __global__ void wild(float* y) { y[1ull << 40] = 1; })", {"wild"});
    const auto sequence =
        tests::bind(loaded, {tests::launch("wild", 1, 1, {tests::address_operand(*memory)})});
    try {
      sequence->run(1);
      FAIL("it ran");
    } catch (const DeviceFault& fault) {
      CHECK(fault.status() == TrialStatus::crashed);
      CHECK(fault.lost());
      CHECK(std::string(fault.what()).find("CUDA_ERROR_ILLEGAL_ADDRESS (700)") != std::string::npos);
    }
    for (int again = 0; again < 2; ++again) {
      try {
        static_cast<void>(gpu().device->checksum(memory->address(), 4));
        FAIL("the device works");
      } catch (const DeviceFault& fault) {
        CHECK(fault.lost());
      }
    }
  }
}
