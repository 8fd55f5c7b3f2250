#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/device/gpu.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"

using tests::gpu;
namespace cuda = tuner::device::cuda;

TEST_SUITE("tuner::device::cuda occupancy") {
  namespace {

  /// A kernel with `values` live registers and `shared` bytes of static shared memory.
  std::string shape_source(int values, int shared) {
    return fmt::format(R"(
extern "C" __global__ void shape(float* y, int n) {{
  __shared__ char buffer[{1}];
  float value[{0}];
  for (int i = 0; i < {0}; ++i) value[i] = y[i * n];
  for (int k = 0; k < n; ++k) {{
    #pragma unroll
    for (int i = 0; i < {0}; ++i) value[i] = value[i] * value[(i + 1) % {0}] + y[k];
  }}
  buffer[threadIdx.x % {1}] = n;
  __syncthreads();
  for (int i = 0; i < {0}; ++i) y[i * n] = value[i] + buffer[(threadIdx.x + 1) % {1}];
}})",
                       values, shared);
  }

  }  // namespace

  TEST_CASE("our arithmetic and the driver agree on every shape, launchable or not") {
    const auto& info = gpu().device->info();
    const auto memory = tests::filled(tuner::model::ElementType::float32, 1024, {});
    int compared = 0;
    int refused = 0;
    for (const int values : {4, 40, 100, 200}) {
      for (const int shared : {1, 5'000, 40'000}) {
        const auto loaded = tests::load(shape_source(values, shared), {"shape"});
        const auto& resources = loaded.compilation.kernels.at(0);
        for (const std::int64_t block : {1, 32, 64, 96, 128, 200, 256, 384, 512, 768, 1000, 1024}) {
          for (const std::int64_t dynamic : {0, 1'000, 16'000, 60'000, 100'000, 180'000, 220'000}) {
            auto step = tests::launch("shape", 1, block,
                                      {tests::address_operand(*memory), tests::integer_operand(1)});
            step.dynamic_shared_bytes = dynamic;
            int driver = 0;
            try {
              driver = tests::bind(loaded, {step})->blocks_per_multiprocessor();
            } catch (const tuner::device::DeviceFault& fault) {
              REQUIRE_FALSE(fault.lost());
            }
            const auto why = cuda::why_unlaunchable(info.limits, resources, step.block, dynamic);
            const auto ours = cuda::occupancy(info.limits, info.compute_major, info.compute_minor, resources,
                                              step.block, dynamic);
            CAPTURE(resources.registers);
            CAPTURE(shared);
            CAPTURE(block);
            CAPTURE(dynamic);
            CHECK(why.has_value() == (driver == 0));
            if (driver == 0) {
              ++refused;
              continue;
            }
            REQUIRE(ours);
            CHECK(ours->blocks_per_multiprocessor == driver);
            ++compared;
          }
        }
      }
    }
    MESSAGE(compared << " shapes agree, " << refused << " are unlaunchable for both");
    CHECK(compared > 300);
    CHECK(refused > 30);
  }
}
