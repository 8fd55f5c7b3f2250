#pragma once
#include <cstdint>

#include "tuner/device/cpu/runtime/abi.hpp"

namespace tuner::device::cpu {

class SharedObject;

/// A kernel with everything needed to run its blocks, in any order, on any worker.
struct Launch {
  const tuner_cpu::Kernel* kernel = nullptr;
  void** arguments = nullptr;  ///< the address of each argument's value
  tuner_cpu::Index3 grid{1, 1, 1};
  tuner_cpu::Index3 block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  const SharedObject* module = nullptr;

  unsigned threads() const { return block.x * block.y * block.z; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(grid.x) * grid.y * grid.z; }
};

}  // namespace tuner::device::cpu
