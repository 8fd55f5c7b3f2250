#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace tuner::device::cpu {

/// Shared memory of one running block.
struct BlockMemory {
  std::span<std::byte> fixed;  ///< the static arrays
  std::span<std::byte> dynamic;
};

/// Blocks that run at the same time, each on a thread of its own, and may wait for each other: those of a
/// cooperative grid, or of a cluster.
class BlockGroup {
 public:
  explicit BlockGroup(unsigned blocks) : m_memory(blocks) {}

  unsigned blocks() const { return static_cast<unsigned>(m_memory.size()); }
  /// Before the block's first thread runs; then all must wait() once, after which map() knows all.
  void place(unsigned rank, const BlockMemory& memory) { m_memory[rank] = memory; }
  /// Waits for all blocks. False where that is in vain: some have ended.
  bool wait();
  /// A block has ended.
  void leave();
  /// Where block `other` has what lies at `address` in the shared memory of block `own`; null where that is
  /// not in it.
  void* map(const void* address, unsigned own, unsigned other) const;

 private:
  /// Whether somebody waits for blocks that have ended.
  bool is_stuck() const { return m_ended > 0 && m_waiting > 0 && m_waiting + m_ended == blocks(); }

  std::vector<BlockMemory> m_memory;  ///< by rank
  std::mutex m_mutex;
  std::condition_variable m_changed;
  unsigned m_waiting = 0;
  unsigned m_ended = 0;
  std::uint64_t m_meetings = 0;
  bool m_broken = false;
};

}  // namespace tuner::device::cpu

// AddressSanitizer must be told when a thread moves to another stack. Its library is there only in a process
// it was loaded into, so the functions (sanitizer/common_interface_defs.h) are weak.
extern "C" {
void __sanitizer_start_switch_fiber(void** save, const void* bottom, std::size_t bytes) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void* saved, const void** old_bottom, std::size_t* old_bytes)
    __attribute__((weak));
// sanitizer/asan_interface.h
void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes) __attribute__((weak));
}
