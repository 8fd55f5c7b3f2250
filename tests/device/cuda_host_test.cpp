#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/cuda/driver.hpp"
#include "tuner/model/error.hpp"

// What of the CUDA device can be tried without a GPU.

namespace cuda = tuner::device::cuda;

TEST_SUITE("tuner::device::cuda without a GPU") {
  namespace {

  /// NVRTC, or null where this machine has none.
  std::shared_ptr<const tuner::compile::nvrtc::Library> nvrtc_library() {
    try {
      return tuner::compile::nvrtc::load_library();
    } catch (const tuner::model::Error&) {
      return nullptr;
    }
  }

  }  // namespace

  TEST_CASE("the support kernels compile for every architecture the compiler knows" *
            doctest::skip(nvrtc_library() == nullptr)) {
    const auto library = nvrtc_library();
    tuner::compile::nvrtc::NvrtcCompiler compiler(library);
    for (const int capability : library->architectures()) {
      const auto job = cuda::support_job("sm_" + std::to_string(capability), compiler.name());
      const auto compilation = compiler.compile(job);
      CAPTURE(capability);
      CAPTURE(compilation.log);
      REQUIRE(compilation.status == tuner::model::TrialStatus::ok);
      CHECK(compilation.kernels.size() == 5);
      for (const auto& kernel : compilation.kernels) {
        CHECK(kernel.symbol == kernel.entry);  // SupportKernels finds them by these names
        CHECK(kernel.spill_store_bytes == 0);
      }
    }
  }

  TEST_CASE("two readings of a clock tell its frequency when both were taken, far enough apart") {
    CHECK(cuda::mean_clock_mhz({1'000, 500}, {1'981'000, 1'000'500}) == doctest::Approx(1980));
    CHECK(cuda::mean_clock_mhz({1'000, 500}, {20'800, 10'500}) == 0);
    CHECK(cuda::mean_clock_mhz({0, 0}, {1'981'000, 1'000'500}) == 0);
    CHECK(cuda::mean_clock_mhz({1'000, 500}, {0, 0}) == 0);
    CHECK(cuda::mean_clock_mhz({1'981'000, 500}, {1'000, 1'000'500}) == 0);
  }

  TEST_CASE("errors that leave the process without a device are told from those that do not") {
    for (const int fatal : {214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 999}) {
      CAPTURE(fatal);
      CHECK(cuda::is_fatal(static_cast<CUresult>(fatal)));
    }
    for (const int harmless : {0, 1, 2, 200, 209, 500, 701, 720, 801}) {
      CAPTURE(harmless);
      CHECK_FALSE(cuda::is_fatal(static_cast<CUresult>(harmless)));
    }
  }

  TEST_CASE("a texture or a surface beyond a limit is told with its number and the device's") {
    const std::map<int, std::int64_t> limits = {
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 268'435'456},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 131'072},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, 65'536},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131'072},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65'000},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2'097'120},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, 100'000},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT, 70'000},
    };
    const auto attribute = [&](CUdevice_attribute which) {
      const auto found = limits.find(which);
      return found == limits.end() ? std::int64_t{0} : found->second;
    };
    enum class Kind { linear, pitched, in_array, surface };
    const auto told = [&](Kind kind, const std::vector<std::int64_t>& shape, std::int64_t pitch) {
      tuner::model::Operand operand;
      operand.texture = {shape, pitch};
      operand.texture->in_array = kind == Kind::in_array || kind == Kind::surface;
      operand.texture->is_surface = kind == Kind::surface;
      return cuda::beyond_limits(operand, attribute);
    };
    CHECK(told(Kind::linear, {268'435'456}, 0).empty());
    CHECK(told(Kind::linear, {268'435'457}, 0) ==
          "a texture of 268435457 elements; this device takes 268435456");
    CHECK(told(Kind::pitched, {131'072, 65'000}, 2'097'120).empty());
    CHECK(told(Kind::pitched, {140'000, 1}, 560'000) ==
          "a texture of 140000 columns; this device takes 131072");
    CHECK(told(Kind::pitched, {1, 65'001}, 32) == "a texture of 65001 rows; this device takes 65000");
    CHECK(told(Kind::pitched, {1, 1}, 2'097'152) ==
          "a texture of 2097152 bytes a row; this device takes 2097120");
    CHECK(told(Kind::in_array, {140'000, 1}, 560'000) ==
          "a texture of 140000 columns; this device takes 131072");
    CHECK(told(Kind::in_array, {1, 65'536}, 4).empty());
    CHECK(told(Kind::in_array, {1, 65'537}, 4) == "a texture of 65537 rows; this device takes 65536");
    // Its array could not be one that surfaces share.
    CHECK(told(Kind::in_array, {120'000, 1}, 480'000) ==
          "a texture of 120000 columns; this device takes 100000");
    CHECK(told(Kind::surface, {100'000, 70'000}, 400'000).empty());
    CHECK(told(Kind::surface, {1, 70'001}, 4) == "a surface of 70001 rows; this device takes 70000");
    tuner::model::Operand large;
    large.texture = {{1'000'000'000'000}, 0};
    CHECK(cuda::beyond_limits(large, [](CUdevice_attribute) { return 0; }).empty());  // it does not tell
    CHECK(told(Kind::surface, {100'001, 1}, 400'004) ==
          "a surface of 100001 columns; this device takes 100000");
  }

  TEST_CASE("without a driver the error says what was looked for, and ends with the exit code for it") {
    try {
      const auto found = cuda::devices();
      CHECK_FALSE(found.empty());  // there is a GPU; the tests labelled gpu look at it
    } catch (const tuner::model::Error& error) {
      CHECK(error.code() == tuner::model::ExitCode::no_device);
      CHECK(std::string(error.what()).find("NVIDIA driver") != std::string::npos);
      CHECK_FALSE(error.hint().empty());
    }
  }

  TEST_CASE("the management library is asked politely: what is not there is absent") {
    const cuda::Nvml nvml;
    CHECK_FALSE(nvml.read("GPU-00000000-0000-0000-0000-000000000000").sm_clock_mhz);
    CHECK_FALSE(nvml.free_memory_bytes("nonsense"));
    CHECK(nvml.compute_processes("").empty());
    CHECK(nvml.driver_version().has_value() == nvml.available());
  }
}
