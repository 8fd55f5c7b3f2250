#include "tuner/device/cuda/occupancy/occupancy.hpp"

#ifdef TUNER_HAVE_CUDA
#include <cuda_occupancy.h>
#endif

#include <algorithm>
#include <limits>

namespace tuner::device::cuda {
#ifdef TUNER_HAVE_CUDA
namespace {

cudaOccDeviceProp properties_of(const model::DeviceLimits& limits, int major, int minor) {
  cudaOccDeviceProp properties;
  properties.computeMajor = major;
  properties.computeMinor = minor;
  properties.maxThreadsPerBlock = limits.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = limits.max_threads_per_multiprocessor;
  properties.regsPerBlock = limits.registers_per_block;
  properties.regsPerMultiprocessor = limits.registers_per_multiprocessor;
  properties.warpSize = limits.warp_size;
  properties.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_bytes_per_multiprocessor);
  properties.numSms = std::max(limits.multiprocessors, 1);  // must be positive; plays no part
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_bytes_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.reserved_shared_bytes_per_block);
  return properties;
}

cudaOccFuncAttributes attributes_of(const model::KernelResources& resources,
                                    std::int64_t dynamic_shared_bytes) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock =
      resources.max_threads_per_block > 0 ? resources.max_threads_per_block : std::numeric_limits<int>::max();
  attributes.numRegs = resources.registers;
  attributes.sharedSizeBytes = static_cast<std::size_t>(resources.static_shared_bytes);
  // Without both of these the calculator stops at 48 KB where a launch with the opt-in attribute does not.
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(dynamic_shared_bytes);
  attributes.numBlockBarriers = 1;  // what the driver assumes
  return attributes;
}

std::vector<std::string> names_of(unsigned int factors) {
  std::vector<std::string> names;
  if ((factors & OCC_LIMIT_WARPS) != 0) names.emplace_back("warps");
  if ((factors & OCC_LIMIT_REGISTERS) != 0) names.emplace_back("registers");
  if ((factors & OCC_LIMIT_SHARED_MEMORY) != 0) names.emplace_back("shared memory");
  if ((factors & OCC_LIMIT_BLOCKS) != 0) names.emplace_back("blocks");
  // With one barrier a block, barriers run out no sooner than blocks do; beside them they are no news.
  if ((factors & OCC_LIMIT_BARRIERS) != 0 && (factors & OCC_LIMIT_BLOCKS) == 0)
    names.emplace_back("barriers");
  return names;
}

/// Threads of a block; 0 for what the calculator takes for a malformed question (no threads) or would
/// overflow on: such a launch does not fit.
std::int64_t threads_of(const model::DeviceLimits& limits, const model::Dim3& block,
                        std::int64_t dynamic_shared_bytes) {
  const bool empty = block.x < 1 || block.y < 1 || block.z < 1 || dynamic_shared_bytes < 0;
  const bool vast = block.x > limits.max_block_x || block.y > limits.max_block_y ||
                    block.z > limits.max_block_z ||
                    dynamic_shared_bytes > std::numeric_limits<int>::max() / 2;
  return empty || vast ? 0 : block.count();
}

bool is_beyond_launch_bounds(const model::KernelResources& resources, std::int64_t threads) {
  return resources.max_threads_per_block > 0 && threads > resources.max_threads_per_block;
}

std::optional<cudaOccResult> calculate(const model::DeviceLimits& limits, int compute_major,
                                       int compute_minor, const model::KernelResources& resources,
                                       std::int64_t threads, std::int64_t dynamic_shared_bytes) {
  const cudaOccDeviceProp properties = properties_of(limits, compute_major, compute_minor);
  const cudaOccFuncAttributes attributes = attributes_of(resources, dynamic_shared_bytes);
  const cudaOccDeviceState state;  // no preference between L1 and shared memory
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes,
                                                                     &state, static_cast<int>(threads),
                                                                     attributes.maxDynamicSharedSizeBytes);
  if (error != CUDA_OCC_SUCCESS) return std::nullopt;
  return result;
}

int warps_of(const model::DeviceLimits& limits, std::int64_t threads) {
  return static_cast<int>((threads + limits.warp_size - 1) / limits.warp_size);
}

int most_warps_of(const model::DeviceLimits& limits) {
  return limits.max_threads_per_multiprocessor / limits.warp_size;
}

}  // namespace

std::optional<model::Occupancy> occupancy(const model::DeviceLimits& limits, int compute_major,
                                          int compute_minor, const model::KernelResources& resources,
                                          const model::Dim3& block, std::int64_t dynamic_shared_bytes) {
  const std::int64_t threads = threads_of(limits, block, dynamic_shared_bytes);
  if (threads == 0) return model::Occupancy{};
  if (is_beyond_launch_bounds(resources, threads)) return model::Occupancy{0, 0, 0, {"launch bounds"}};
  const auto result =
      calculate(limits, compute_major, compute_minor, resources, threads, dynamic_shared_bytes);
  if (!result) return std::nullopt;
  model::Occupancy occupancy;
  occupancy.blocks_per_multiprocessor = result->activeBlocksPerMultiprocessor;
  occupancy.active_warps_per_multiprocessor =
      result->activeBlocksPerMultiprocessor * warps_of(limits, threads);
  occupancy.fraction = static_cast<double>(occupancy.active_warps_per_multiprocessor) / most_warps_of(limits);
  occupancy.limited_by = names_of(result->limitingFactors);
  return occupancy;
}

std::vector<ResourceShare> resource_shares(const model::DeviceLimits& limits, int compute_major,
                                           int compute_minor, const model::KernelResources& resources,
                                           const model::Dim3& block, std::int64_t dynamic_shared_bytes) {
  const std::int64_t threads = threads_of(limits, block, dynamic_shared_bytes);
  if (threads == 0 || is_beyond_launch_bounds(resources, threads)) return {};
  const auto result =
      calculate(limits, compute_major, compute_minor, resources, threads, dynamic_shared_bytes);
  if (!result) return {};
  std::vector<ResourceShare> shares;
  const auto add = [&](const char* name, std::int64_t per_block, std::int64_t available, int blocks) {
    if (blocks < std::numeric_limits<int>::max()) shares.push_back({name, per_block, available, blocks});
  };
  add("warps", warps_of(limits, threads), most_warps_of(limits), result->blockLimitWarps);
  add("registers", result->allocatedRegistersPerBlock, limits.registers_per_multiprocessor,
      result->blockLimitRegs);
  add("shared memory", static_cast<std::int64_t>(result->allocatedSharedMemPerBlock),
      limits.shared_bytes_per_multiprocessor, result->blockLimitSharedMem);
  add("blocks", 1, limits.max_blocks_per_multiprocessor, result->blockLimitBlocks);
  return shares;
}

#else  // no calculator

std::optional<model::Occupancy> occupancy(const model::DeviceLimits&, int, int, const model::KernelResources&,
                                          const model::Dim3&, std::int64_t) {
  return std::nullopt;
}

std::vector<ResourceShare> resource_shares(const model::DeviceLimits&, int, int,
                                           const model::KernelResources&, const model::Dim3&, std::int64_t) {
  return {};
}

#endif
}  // namespace tuner::device::cuda
