#pragma once
#include <cstddef>
#include <cstdint>

#include "tuner/use/tuner.h"

/// The tuner's CPU device, as far as programs need it: kernels of the host's compiler, their threads as
/// fibres of the thread that launches.
namespace tuner::use {

struct Device;

/// What the tuner's CPU device says of itself.
tuner_error ask_cpu(Device& device);

/// Its file stays open: the loader takes one of the same path, which the next file would have, for the same.
struct SharedObject {
  void* handle;  ///< null: none
  int file;
};
tuner_error load_shared_object(const void* bytes, std::size_t count, SharedObject& loaded);
void unload_shared_object(const SharedObject& loaded);
tuner_error find_host_kernel(const SharedObject& loaded, const char* symbol, const void*& kernel);

struct CpuLaunch {
  const void* kernel;  ///< as find_host_kernel() says
  unsigned grid[3];
  unsigned block[3];
  std::size_t dynamic_shared_bytes;
  void** arguments;
  std::uint32_t argument_count;
};
/// Runs all blocks, one after the other.
tuner_error run_on_cpu(const CpuLaunch& launch);

}  // namespace tuner::use
