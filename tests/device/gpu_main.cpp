#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>

#include "tests/device/gpu.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/error.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  try {
    static_cast<void>(tuner::device::cuda::devices());
  } catch (const tuner::model::Error& error) {
    fmt::print(stderr, "skipped: {}\n", error.what());
    return skipped;
  }
  try {
    tests::Gpu gpu = tests::Gpu::open();
    tests::set_gpu(&gpu);
    return doctest::Context(argc, argv).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "failed before the first test: {}\n", error.what());
    return 1;
  }
}
