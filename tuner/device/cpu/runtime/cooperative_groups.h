#pragma once
// Cooperative groups: blocks, tiles of a warp, grids of a cooperative launch, and clusters as the launch
// says.
#include "cuda_on_cpu.hpp"

namespace cooperative_groups {

#define TUNER_CPU_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

class thread_block {
 public:
  static void sync(TUNER_CPU_SITE) { tuner_cpu_barrier(0, file, line); }
  static unsigned thread_rank() { return tuner_cpu_current->rank; }
  static unsigned num_threads() { return tuner_cpu_current->block->threads; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return blockDim; }
};
inline thread_block this_thread_block() {
  return {};
}

class grid_group {
 public:
  static bool is_valid() { return tuner_cpu_current->block->is_cooperative; }
  static void sync(TUNER_CPU_SITE) { tuner_cpu_grid_barrier(file, line); }
  static unsigned long long block_rank() {
    const tuner_cpu::Block& block = *tuner_cpu_current->block;
    return block.index.x +
           static_cast<unsigned long long>(block.grid.x) *
               (block.index.y + static_cast<unsigned long long>(block.grid.y) * block.index.z);
  }
  static unsigned long long num_blocks() {
    const tuner_cpu::Index3& grid = tuner_cpu_current->block->grid;
    return static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long size() { return num_threads(); }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
};
inline grid_group this_grid() {
  return {};
}

class cluster_group {
 public:
  static void sync(TUNER_CPU_SITE) { tuner_cpu_cluster_barrier(file, line); }
  // The halves of a barrier: who waits is there, and nobody who has arrived is kept from going on to wait.
  static void barrier_arrive() {}
  static void barrier_wait(TUNER_CPU_SITE) { tuner_cpu_cluster_barrier(file, line); }
  static unsigned block_rank() { return tuner_cpu_current->block->cluster_rank; }
  static unsigned num_blocks() {
    const tuner_cpu::Index3& cluster = tuner_cpu_current->block->cluster;
    return cluster.x * cluster.y * cluster.z;
  }
  static unsigned thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned size() { return num_threads(); }
  static dim3 dim_blocks() { return tuner_cpu::to_dim3(tuner_cpu_current->block->cluster); }
  static dim3 block_index() {
    const tuner_cpu::Block& block = *tuner_cpu_current->block;
    return dim3(block.index.x % block.cluster.x, block.index.y % block.cluster.y,
                block.index.z % block.cluster.z);
  }
  template <class Value>
  static Value* map_shared_rank(Value* address, unsigned rank) {
    return static_cast<Value*>(tuner_cpu_map_shared(address, rank));
  }
  template <class Element>
  static Element* map_shared_rank(const tuner_cpu::DynamicSharedArray<Element[]>& array, unsigned rank) {
    return map_shared_rank(static_cast<Element*>(array), rank);
  }
};
inline cluster_group this_cluster() {
  return {};
}

/// `Size` threads of a warp that follow each other.
template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles are parts of a warp here");

 public:
  static unsigned thread_rank() { return tuner_cpu::lane() % Size; }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
  static void sync(TUNER_CPU_SITE) {
    tuner_cpu::warp(tuner_cpu::WarpOperation::sync, mask(), 0, 0, file, line);
  }
  template <class Value>
  Value shfl(Value value, int source, TUNER_CPU_SITE) const {
    return __shfl_sync(mask(), value, source, Size, file, line);
  }
  template <class Value>
  Value shfl_up(Value value, unsigned delta, TUNER_CPU_SITE) const {
    return __shfl_up_sync(mask(), value, delta, Size, file, line);
  }
  template <class Value>
  Value shfl_down(Value value, unsigned delta, TUNER_CPU_SITE) const {
    return __shfl_down_sync(mask(), value, delta, Size, file, line);
  }
  template <class Value>
  Value shfl_xor(Value value, int lanes, TUNER_CPU_SITE) const {
    return __shfl_xor_sync(mask(), value, lanes, Size, file, line);
  }
  static unsigned ballot(int predicate, TUNER_CPU_SITE) {
    return __ballot_sync(mask(), predicate, file, line) >> first_lane();
  }
  static bool any(int predicate, TUNER_CPU_SITE) { return ballot(predicate, file, line) != 0; }
  static bool all(int predicate, TUNER_CPU_SITE) { return ballot(predicate == 0, file, line) == 0; }

 private:
  static unsigned first_lane() { return tuner_cpu::lane() & ~(Size - 1); }
  static unsigned mask() { return (Size == 32 ? ~0U : (1U << (Size % 32)) - 1U) << first_lane(); }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
inline void sync(const Group& group, TUNER_CPU_SITE) {
  group.sync(file, line);
}
#undef TUNER_CPU_SITE

}  // namespace cooperative_groups
