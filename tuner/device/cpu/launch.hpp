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
  bool cooperative = false;            ///< all blocks run at once
  tuner_cpu::Index3 cluster{1, 1, 1};  ///< blocks that run at once

  unsigned threads() const { return block.x * block.y * block.z; }
  unsigned cluster_blocks() const { return cluster.x * cluster.y * cluster.z; }
  /// How many run at once because they may wait for each other; 1: each runs for itself.
  std::int64_t blocks_together() const { return cooperative ? blocks() : cluster_blocks(); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(grid.x) * grid.y * grid.z; }
};

}  // namespace tuner::device::cpu
