#pragma once
#include <array>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tuner/device/cpu/race_detector.hpp"
#include "tuner/device/cpu/runtime/abi.hpp"
#include "tuner/device/cpu/shared_object.hpp"

namespace tuner::device::cpu {

inline constexpr unsigned most_threads = 1024;

inline bool same_site(const tuner_cpu::Site& a, const tuner_cpu::Site& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

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

/// Runs blocks one after another on the thread that calls it. A fibre runs CUDA threads until one of them has
/// to wait; the next thread then starts on another fibre. So a kernel that never waits is a plain loop on one
/// fibre, and one that does costs one switch for each thread and barrier: who waits hands over to the next
/// thread that can run, and the last to arrive goes on without a switch. Fibres and their stacks are kept
/// from block to block.
///
/// Nobody waits for threads that have returned, as on GPUs from sm_70 on, but at barriers of a grid.
class BlockRunner {
 public:
  explicit BlockRunner(std::int64_t stack_bytes);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;
  ~BlockRunner();

  /// Before the first block of a launch; `launch` must live until the last one has run.
  void begin(const Launch& launch);
  /// Runs a block to its end. Returns what went wrong: threads that wait for others that never come.
  std::optional<std::string> run(const tuner_cpu::Index3& index);
  /// The next block to run is the one of this rank in each of these groups; null: it is in none.
  void join(BlockGroup* grid, BlockGroup* cluster, unsigned cluster_rank);
  /// Of launches whose module reports its accesses.
  std::vector<RawRace> take_races();

  // Called by kernels, on the fibre of the thread that is running.
  int barrier(bool predicate, const tuner_cpu::Site& site);
  void yield();
  void grid_barrier(const tuner_cpu::Site& site);
  void cluster_barrier(const tuner_cpu::Site& site);
  void* map_shared(const void* address, unsigned rank);
  unsigned long long warp_operation(const tuner_cpu::WarpRequest& request);
  void report_access(const void* address, unsigned bytes, tuner_cpu::Access access, const void* code);

 private:
  enum class Waiting : std::uint8_t { nothing, barrier, warp, over };

  struct Fibre {
    boost::context::fiber context;  ///< empty while it runs
    const std::byte* stack_bottom = nullptr;
    std::size_t stack_bytes = 0;
    void* sanitizer_state = nullptr;
  };

  struct ThreadState {
    Waiting waiting = Waiting::nothing;
    Fibre* fibre = nullptr;
    tuner_cpu::Site site;
  };

  int meet(const tuner_cpu::Site& site, BlockGroup* group, bool predicate);
  bool all_arrived() const;
  bool enter_groups();
  void leave_groups();
  void begin_block(const tuner_cpu::Index3& index);
  Fibre& new_fibre();
  void fibre_main();
  void run_thread(unsigned rank);
  void wait(Waiting reason, const tuner_cpu::Site& site);
  void hand_over();
  Fibre& next_to_run();
  Fibre& idle_fibre();
  void switch_to(Fibre& target);
  void arrived_from_switch(boost::context::fiber&& previous);
  void finish_barrier();
  void leave(unsigned rank);
  void begin_warp_operations();
  void let_go_on(unsigned warp, unsigned lanes);
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void fail_warp(const char* misuse, const tuner_cpu::WarpRequest& request);
  std::string why_stuck() const;
  std::string where(const char* what, Waiting reason) const;

  std::int64_t m_stack_bytes;
  const Launch* m_launch = nullptr;
  tuner_cpu::Block m_block;
  std::vector<tuner_cpu::Thread> m_threads;
  std::vector<ThreadState> m_states;
  std::vector<WarpRendezvous> m_warps;
  bool m_warps_meet = false;                               ///< there was a warp operation in this block
  std::array<std::uint64_t, most_threads / 64> m_ready{};  ///< threads that waited and may go on
  unsigned m_next = 0;                                     ///< the first thread not started
  unsigned m_finished = 0;

  unsigned m_arrived = 0;  ///< at the barrier
  int m_predicates = 0;    ///< of those, how many passed a true predicate
  int m_barrier_result = 0;
  bool m_one_site = true;  ///< all arrived at the same barrier of the source
  tuner_cpu::Site m_barrier_site;
  BlockGroup* m_met_group = nullptr;  ///< that meets at this barrier; null: the block alone

  std::deque<Fibre> m_fibres;
  std::vector<Fibre*> m_idle;
  Fibre m_main;
  Fibre* m_running = &m_main;
  Fibre* m_previous = nullptr;  ///< the fibre that made the last switch

  std::unique_ptr<std::byte, void (*)(void*)> m_dynamic_shared;
  std::int64_t m_dynamic_shared_bytes = -1;
  std::unique_ptr<RaceDetector> m_races;
  BlockGroup* m_grid_group = nullptr;
  BlockGroup* m_cluster_group = nullptr;
  std::string m_failure;
};

/// That of the thread that a kernel runs on now.
inline BlockRunner& running() {
  return *static_cast<BlockRunner*>(tuner_cpu_current->block->runner);
}

/// Threads that share the blocks of a launch; the calling thread is one of them. One caller at a time.
class WorkerPool {
 public:
  /// At least one worker, the caller.
  WorkerPool(int workers, std::int64_t stack_bytes);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  int workers() const { return static_cast<int>(m_threads.size()) + 1; }
  /// Most CUDA threads that a launch whose blocks may wait for each other has at once: each has a stack.
  static constexpr std::int64_t most_threads_together = 28 * 1024;

  /// Runs all blocks and returns when the last has finished. Returns the first fault; no block is started
  /// after one.
  std::optional<std::string> run(const Launch& launch);
  /// Of launches whose module reports its accesses: those run on the caller alone.
  std::vector<RawRace> take_races() { return m_own.take_races(); }

 private:
  std::optional<std::string> run_together(const Launch& launch);
  void serve(std::int64_t stack_bytes);
  void work(BlockRunner& runner);
  void wake(const Launch& launch, int helpers);

  BlockRunner m_own;
  std::int64_t m_stack_bytes;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::condition_variable m_done;
  const Launch* m_launch = nullptr;
  std::uint64_t m_generation = 0;  ///< counts launches
  int m_wanted = 0;                ///< helpers that may still join the launch
  int m_busy = 0;                  ///< helpers at work
  bool m_stop = false;
  std::atomic<std::int64_t> m_next_block{0};
  std::int64_t m_blocks_at_once = 1;
  std::optional<std::string> m_fault;
  std::vector<std::thread> m_threads;
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
