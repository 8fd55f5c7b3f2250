#pragma once
// Cooperative groups: blocks, threads of a warp, grids of a cooperative launch, and clusters as the launch
// says.
#include "cuda_on_cpu.hpp"

namespace tuner_cpu {

/// Of threads counted through blocks.
inline dim3 thread_index_of(const dim3& block) {
  const dim3 size = blockDim, own = threadIdx;
  return dim3(block.x * size.x + own.x, block.y * size.y + own.y, block.z * size.z + own.z);
}
inline dim3 threads_of(const dim3& blocks) {
  return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
}

}  // namespace tuner_cpu

namespace cooperative_groups {

#define TUNER_CPU_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/// The halves of a barrier are one: who waits is there, and nobody who has arrived is kept from going on to
/// wait.
struct arrival_token {};

class thread_block {
 public:
  using arrival_token = cooperative_groups::arrival_token;
  static void sync(TUNER_CPU_SITE) { tuner_cpu_barrier(0, file, line); }
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&, TUNER_CPU_SITE) { sync(file, line); }
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
  using arrival_token = cooperative_groups::arrival_token;
  static void sync(TUNER_CPU_SITE) { tuner_cpu_grid_barrier(file, line); }
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&, TUNER_CPU_SITE) { sync(file, line); }
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
  static dim3 thread_index() { return tuner_cpu::thread_index_of(blockIdx); }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 dim_threads() { return tuner_cpu::threads_of(gridDim); }
  static dim3 group_dim() { return gridDim; }
};
inline grid_group this_grid() {
  return {};
}

class cluster_group {
 public:
  static void sync(TUNER_CPU_SITE) { tuner_cpu_cluster_barrier(file, line); }
  using arrival_token = cooperative_groups::arrival_token;
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(TUNER_CPU_SITE) { sync(file, line); }
  static void barrier_wait(arrival_token&&, TUNER_CPU_SITE) { sync(file, line); }
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
  static dim3 thread_index() { return tuner_cpu::thread_index_of(block_index()); }
  static dim3 dim_threads() { return tuner_cpu::threads_of(dim_blocks()); }
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

/// Threads of one warp, those of a mask; a thread's rank is its place among them. What tiles and coalesced
/// groups have in common.
class threads_of_warp {
 public:
  unsigned num_threads() const { return static_cast<unsigned>(__popc(m_mask)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(m_mask & ((1U << tuner_cpu::lane()) - 1U)));
  }
  /// The place of this group among those that its parent was parted into, and their number.
  unsigned meta_group_rank() const { return m_meta_rank; }
  unsigned meta_group_size() const { return m_meta_size; }
  void sync(TUNER_CPU_SITE) const { __syncwarp(m_mask, file, line); }

  /// Values of any size.
  template <class Value>
  Value shfl(Value value, int source, TUNER_CPU_SITE) const {
    return moved(value, lane_of(static_cast<unsigned>(source) % num_threads()), file, line);
  }
  template <class Value>
  Value shfl_up(Value value, unsigned delta, TUNER_CPU_SITE) const {
    const unsigned own = thread_rank();
    return moved(value, lane_of(own >= delta ? own - delta : own), file, line);
  }
  template <class Value>
  Value shfl_down(Value value, unsigned delta, TUNER_CPU_SITE) const {
    const unsigned own = thread_rank();
    return moved(value, lane_of(own + delta < num_threads() ? own + delta : own), file, line);
  }
  unsigned ballot(int predicate, TUNER_CPU_SITE) const {
    return by_rank(__ballot_sync(m_mask, predicate, file, line));
  }
  bool any(int predicate, TUNER_CPU_SITE) const { return ballot(predicate, file, line) != 0; }
  bool all(int predicate, TUNER_CPU_SITE) const { return ballot(predicate == 0, file, line) == 0; }
  template <class Value>
  unsigned match_any(Value value, TUNER_CPU_SITE) const {
    return by_rank(__match_any_sync(m_mask, value, file, line));
  }
  template <class Value>
  unsigned match_all(Value value, int& pred, TUNER_CPU_SITE) const {
    return by_rank(__match_all_sync(m_mask, value, &pred, file, line));
  }
  /// Lanes.
  unsigned mask() const { return m_mask; }

 protected:
  threads_of_warp(unsigned mask, unsigned meta_rank, unsigned meta_size)
      : m_mask(mask), m_meta_rank(meta_rank), m_meta_size(meta_size) {}

  unsigned lane_of(unsigned rank) const {
    const auto first = static_cast<unsigned>(__builtin_ctz(m_mask));
    const bool in_a_row = (m_mask >> first & ((m_mask >> first) + 1U)) == 0;
    return in_a_row ? first + rank : __fns(m_mask, 0, static_cast<int>(rank) + 1);
  }

  template <class Value>
  Value moved(Value value, unsigned lane, const char* file, int line) const {
    constexpr size_t words = (sizeof(Value) + 7) / 8;
    unsigned long long bits[words] = {};
    __builtin_memcpy(bits, &value, sizeof value);
    for (unsigned long long& word : bits) word = tuner_cpu::shuffle(m_mask, word, lane, file, line);
    __builtin_memcpy(&value, bits, sizeof value);
    return value;
  }

 private:
  /// Bits of lanes as bits of ranks.
  unsigned by_rank(unsigned lanes) const {
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < num_threads(); ++rank) ranks |= (lanes >> lane_of(rank) & 1U) << rank;
    return ranks;
  }

  unsigned m_mask;
  unsigned m_meta_rank;
  unsigned m_meta_size;
};

/// Any threads of a warp.
class coalesced_group : public threads_of_warp {
 public:
  explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : threads_of_warp(mask, meta_rank, meta_size) {}
};

/// Only the caller is certain to be here, see __activemask().
inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// `Size` threads of a warp that follow each other. `Parent` is void where a function takes tiles of any.
template <unsigned Size, class Parent = void>
class thread_block_tile : public threads_of_warp {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles are parts of a warp here");

 public:
  template <class Group>
  explicit thread_block_tile(const Group& parent)
      : threads_of_warp(lanes(), static_cast<unsigned>(parent.thread_rank()) / Size,
                        (static_cast<unsigned>(parent.num_threads()) + Size - 1) / Size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : threads_of_warp(tile.mask(), tile.meta_group_rank(), tile.meta_group_size()) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return tuner_cpu::lane() % Size; }
  template <class Value>
  Value shfl_xor(Value value, int lanes, TUNER_CPU_SITE) const {
    return moved(value, lane_of((thread_rank() ^ static_cast<unsigned>(lanes)) % Size), file, line);
  }

 private:
  static unsigned lanes() {
    return (Size == 32 ? ~0U : (1U << (Size % 32)) - 1U) << (tuner_cpu::lane() & ~(Size - 1));
  }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(parent);
}
inline thread_block_tile<1> this_thread() {
  return thread_block_tile<1>(this_thread_block());
}

/// A block or threads of a warp, whichever it was made of.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  thread_group(const threads_of_warp& threads) : m_mask(threads.mask()) {}
  void sync(TUNER_CPU_SITE) const {
    m_mask == 0 ? thread_block::sync(file, line) : coalesced_group(m_mask).sync(file, line);
  }
  unsigned long long thread_rank() const {
    return m_mask == 0 ? thread_block::thread_rank() : coalesced_group(m_mask).thread_rank();
  }
  unsigned long long num_threads() const {
    return m_mask == 0 ? thread_block::num_threads() : coalesced_group(m_mask).num_threads();
  }
  unsigned long long size() const { return num_threads(); }

  /// Lanes; 0 for a block.
  unsigned mask() const { return m_mask; }

 private:
  unsigned m_mask = 0;
};

/// The caller's part of a group, where each part has `threads` threads that follow each other, of one warp.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned threads) {
  unsigned mask = 0;
  const unsigned first = parent.thread_rank() / threads * threads;
  for (unsigned rank = first; rank < first + threads && rank < parent.num_threads(); ++rank)
    mask |= 1U << __fns(parent.mask(), 0, static_cast<int>(rank) + 1);
  return coalesced_group(mask, first / threads, (parent.num_threads() + threads - 1) / threads);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned threads) {
  // Of a block the warp, whose threads may be fewer than 32.
  const unsigned first = tuner_cpu_current->rank - tuner_cpu::lane();
  const unsigned there = thread_block::num_threads() - first;
  const unsigned warp = there < 32 ? (1U << there) - 1U : ~0U;
  return tiled_partition(coalesced_group(parent.mask() == 0 ? warp : parent.mask()), threads);
}

/// Threads of a group that say the same.
template <class Label>
inline coalesced_group labeled_partition(const threads_of_warp& group, Label label, TUNER_CPU_SITE) {
  const unsigned mask = __match_any_sync(group.mask(), label, file, line);
  const int first = __ffs(static_cast<int>(mask)) - 1;
  const unsigned firsts =
      __ballot_sync(group.mask(), static_cast<unsigned>(first) == tuner_cpu::lane(), file, line);
  return coalesced_group(mask, static_cast<unsigned>(__popc(firsts & ((1U << first) - 1U))),
                         static_cast<unsigned>(__popc(firsts)));
}
inline coalesced_group binary_partition(const threads_of_warp& group, bool side, TUNER_CPU_SITE) {
  const unsigned mask = __match_any_sync(group.mask(), side, file, line);
  return mask == group.mask() ? coalesced_group(mask) : coalesced_group(mask, side ? 1 : 0, 2);
}

template <class Group>
inline auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group& group) {
  return group.num_threads();
}
template <class Group>
inline void sync(const Group& group, TUNER_CPU_SITE) {
  group.sync(file, line);
}

template <class Group, class Function, class... Arguments>
inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
/// Every thread of the group, a tile or a coalesced one, gets the result.
template <class Group, class Function, class... Arguments>
inline auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  const auto invoked = [&] {
    return static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  };
  decltype(invoked()) result{};
  if (group.thread_rank() == 0) result = invoked();
  return group.shfl(result, 0);
}
#undef TUNER_CPU_SITE

}  // namespace cooperative_groups
