#include <doctest/doctest.h>

#include "tests/device/gpu.hpp"
#include "tuner/measure/runner.hpp"

using tests::gpu;
using tuner::model::TrialStatus;

// The last test of its process: nothing works after it.
TEST_SUITE("tuner::device::cuda trap") {
  TEST_CASE("a trap costs the runner its device, and later trials of the process say so") {
    tuner::model::TrialJob job;
    job.plan.buffers = {{"y", tuner::model::ElementType::float32, 16, tuner::model::Access::out, {}, {}}};
    job.plan.steps = {tests::launch("trap", 1, 32, {tests::buffer_operand(0)})};
    const auto compilation =
        gpu().compile(R"(extern "C" __global__ void trap(float* y) { y[0] = 1; __trap(); })", {"trap"});
    job.binary = compilation.binary;
    job.kernels = compilation.kernels;
    tuner::measure::DeviceTrialRunner runner(std::move(gpu().device));
    for (int again = 0; again < 2; ++again) {
      const auto outcome = runner.run(job);
      CAPTURE(outcome.detail);
      CHECK(outcome.status == TrialStatus::crashed);
      CHECK(outcome.device_lost);
    }
  }
}
