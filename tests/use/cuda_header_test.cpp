// What driver.hpp says of the driver's interface, against cuda.h.
#include <cuda.h>
#include <doctest/doctest.h>

#include <cstddef>

#include "tuner/use/driver.hpp"

namespace use = tuner::use;

static_assert(sizeof(use::CuLaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(use::CuLaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(use::CuLaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(use::CuLaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(use::CuLaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(use::CuLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(use::CuLaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(use::CuTensorMap) == sizeof(CUtensorMap) &&
              alignof(use::CuTensorMap) >= alignof(CUtensorMap));
static_assert(sizeof(use::CuAddress) == sizeof(CUdeviceptr));
static_assert(use::attribute_cooperative == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(use::attribute_cluster == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(use::attribute_overlap == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(use::function_shared_bytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(use::function_most_dynamic_bytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(use::function_carveout == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
static_assert(use::device_compute_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(use::device_compute_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(CU_TENSOR_MAP_DATA_TYPE_FLOAT32 == 7 && CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == 9);
static_assert(CU_TENSOR_MAP_SWIZZLE_128B == 3 && CU_TENSOR_MAP_L2_PROMOTION_L2_256B == 3);
static_assert(CU_TENSOR_MAP_INTERLEAVE_32B == 2);

namespace {

constexpr int attributes[] = {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                              CU_DEVICE_ATTRIBUTE_WARP_SIZE,
                              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                              CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
                              CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
                              CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
                              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                              CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                              CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                              CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
                              CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE};

}  // namespace

TEST_SUITE("use") {
  TEST_CASE("limits are asked for by the attributes of cuda.h") {
    for (std::uint32_t i = 0; i < use::limit_count; ++i) CHECK(use::limit_attributes[i] == attributes[i]);
  }
}
