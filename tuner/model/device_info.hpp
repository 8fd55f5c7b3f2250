#pragma once
#include <cstdint>
#include <string>

namespace tuner::model {

/// What a launch must fit into; names follow the CUDA device attributes.
struct DeviceLimits {
  int multiprocessors = 0;
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 2048;
  int max_blocks_per_multiprocessor = 32;
  int registers_per_block = 65536;
  int registers_per_multiprocessor = 65536;
  std::int64_t shared_bytes_per_block = 49152;        ///< without opt-in; the limit of static shared memory
  std::int64_t shared_bytes_per_block_optin = 49152;  ///< with opt-in; the limit of static + dynamic
  std::int64_t shared_bytes_per_multiprocessor = 65536;
  std::int64_t reserved_shared_bytes_per_block = 0;
  std::int64_t max_grid_x = 2147483647;
  std::int64_t max_grid_y = 65535;
  std::int64_t max_grid_z = 65535;
  std::int64_t max_block_x = 1024;
  std::int64_t max_block_y = 1024;
  std::int64_t max_block_z = 64;
  std::int64_t l2_bytes = 0;
  bool operator==(const DeviceLimits&) const = default;
};

struct DeviceInfo {
  std::string id;    ///< as --device takes it: `cuda:0`, `cpu`, `replay:FILE`
  std::string kind;  ///< `cuda`, `cpu`, `replay`
  std::string name;  ///< `NVIDIA H200`
  std::string uuid;
  std::string architecture;  ///< `sm_90`, `host`
  int compute_major = 0;
  int compute_minor = 0;
  std::string driver;  ///< `580.159.04`, or the API version where only that is known
  std::int64_t memory_bytes = 0;
  std::int64_t free_memory_bytes = 0;  ///< 0: unknown
  DeviceLimits limits;
  bool operator==(const DeviceInfo&) const = default;
};

}  // namespace tuner::model
