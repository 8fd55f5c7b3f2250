#include <doctest/doctest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/device/gpu.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/util/files.hpp"

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
    const std::string library = tuner::util::text_of(FAILING_LIBRARY);
    loaded.module->set_library(
        std::make_unique<tuner::device::HostLibrary>(std::as_bytes(std::span(library))));
    tuner::model::Step call;
    call.kind = tuner::model::Step::Kind::call;
    call.entry = "fails";
    const auto fault_of = [&](const std::vector<tuner::model::Step>& steps) {
      try {
        tests::bind(loaded, steps)->run(1);
      } catch (const DeviceFault& fault) {
        return fault;
      }
      return DeviceFault(TrialStatus::ok, false, "it ran");
    };
    // What a library says of itself costs that call; what ended the context costs the device.
    const DeviceFault refused = fault_of({call});
    CHECK(refused.status() == TrialStatus::launch_error);
    CHECK_FALSE(refused.lost());
    CHECK(std::string(refused.what()) == "a library 1.0: it failed");
    {
      const DeviceFault fault =
          fault_of({tests::launch("wild", 1, 1, {tests::address_operand(*memory)}), call});
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
