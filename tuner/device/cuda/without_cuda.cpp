#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/error.hpp"

// Stands in for driver.cpp and all that is built on it where cuda.h was not found.
namespace tuner::device::cuda {
namespace {

[[noreturn]] void fail() {
  throw model::Error("this tuner was built without CUDA headers, so it has no CUDA device",
                     "install the CUDA Toolkit 12.4 or later, and configure and build again",
                     model::ExitCode::no_device);
}

}  // namespace

std::vector<model::DeviceInfo> devices() {
  fail();
}

double max_sm_clock_mhz(int) {
  fail();
}

std::unique_ptr<Device> open(int, std::future<std::vector<std::byte>>) {
  fail();
}

}  // namespace tuner::device::cuda
