#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

#include "tuner/use/library.hpp"
#include "tuner/use/warp.hpp"
#include "tuner/util/group_limits.hpp"

__thread tuner_cpu::Thread* tuner_cpu_current = nullptr;

namespace tuner::use {
namespace {

constexpr unsigned most_threads = 1024;
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

/// A block runs on the thread that launches. A fibre runs CUDA threads in turn until one has to wait; then
/// another fibre goes on. So a kernel that never waits is a loop.
class BlockRunner {
 public:
  explicit BlockRunner(const CpuLaunch& launch) : m_launch(launch) {}
  ~BlockRunner() {
    for (Fibre& fibre : m_fibres) {
      if (fibre.stack != nullptr) munmap(fibre.stack, stack_bytes);
    }
    free(m_shared);
  }
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// False where there is no memory.
  bool begin() {
    const unsigned(&size)[3] = m_launch.block;
    m_block.size = {size[0], size[1], size[2]};
    m_block.grid = {m_launch.grid[0], m_launch.grid[1], m_launch.grid[2]};
    m_block.threads = size[0] * size[1] * size[2];
    m_block.runner = this;
    unsigned rank = 0;
    for (unsigned z = 0; z < size[2]; ++z) {
      for (unsigned y = 0; y < size[1]; ++y) {
        for (unsigned x = 0; x < size[0]; ++x, ++rank) m_threads[rank] = {{x, y, z}, rank, &m_block};
      }
    }
    const std::size_t bytes = m_launch.dynamic_shared_bytes > 0 ? m_launch.dynamic_shared_bytes : 1;
    if (posix_memalign(&m_shared, 256, bytes) != 0) return false;
    m_block.dynamic_shared = m_shared;
    return true;
  }

  /// False where threads wait for others that never come, or there is no memory for their stacks.
  bool run(unsigned x, unsigned y, unsigned z) {
    m_block.index = {x, y, z};
    m_next = m_finished = m_arrived = m_predicates = 0;
    for (unsigned i = 0; i < m_block.threads; ++i) m_states[i] = {};
    for (unsigned i = 0; i < most_threads / warp_size; ++i) {
      const unsigned there = m_block.threads > i * warp_size ? m_block.threads - i * warp_size : 0;
      m_warps[i] = {};
      m_warps[i].returned = there < warp_size ? ~0U << there : 0;
    }
    while (m_finished < m_block.threads) {
      Fibre* const fibre = next_fibre();
      if (fibre == nullptr) break;
      m_running = fibre;
      swapcontext(&m_main, &fibre->context);
    }
    tuner_cpu_current = nullptr;
    return m_finished == m_block.threads;
  }

  /// Nobody waits for threads that have returned, as on GPUs from sm_70 on.
  int barrier(int predicate) {
    m_predicates += predicate != 0 ? 1 : 0;
    ++m_arrived;
    if (!all_arrived())
      wait(Waiting::barrier);
    else
      finish_barrier();
    return m_barrier_result;
  }

  void yield() { wait(Waiting::no_longer); }

  unsigned long long warp_operation(const tuner_cpu::WarpRequest& request) {
    const unsigned rank = tuner_cpu_current->rank;
    const unsigned lane = rank % warp_size;
    const unsigned first = rank - lane;
    Warp& warp = m_warps[rank / warp_size];
    warp.requests[lane] = request;
    warp.arrived |= 1U << lane;
    const unsigned members = request.mask & ~warp.returned;
    if (!is_complete(warp, members, request)) {
      wait(Waiting::warp);
    } else {
      finish(warp, first, members);
      m_states[rank].waiting = Waiting::nothing;
    }
    return warp.results[lane];
  }

 private:
  enum class Waiting : unsigned char { nothing, barrier, warp, no_longer };

  struct Fibre {
    ucontext_t context;
    void* stack = nullptr;
    bool is_idle = false;
  };
  struct State {
    Waiting waiting = Waiting::nothing;
    Fibre* fibre = nullptr;
  };
  struct Warp {
    unsigned returned = 0;  ///< lanes, and those that no thread has
    unsigned arrived = 0;
    tuner_cpu::WarpRequest requests[warp_size];
    unsigned long long results[warp_size];
  };

  static bool is_complete(const Warp& warp, unsigned members, const tuner_cpu::WarpRequest& request) {
    if ((warp.arrived & members) != members) return false;
    for (unsigned i = 0; i < warp_size; ++i) {
      const tuner_cpu::WarpRequest& other = warp.requests[i];
      if ((members >> i & 1) != 0 && (other.mask != request.mask || other.operation != request.operation))
        return false;
    }
    return true;
  }

  bool all_arrived() const { return m_arrived + m_finished == m_block.threads; }

  void finish_barrier() {
    m_barrier_result = m_predicates;
    m_arrived = m_predicates = 0;
    for (unsigned i = 0; i < m_block.threads; ++i) {
      if (m_states[i].waiting == Waiting::barrier) m_states[i].waiting = Waiting::no_longer;
    }
  }

  void finish(Warp& warp, unsigned first, unsigned members) {
    warp.arrived &= ~members;
    answer(warp.requests, members, warp.results);
    for_each_lane(members, [&](unsigned other) { m_states[first + other].waiting = Waiting::no_longer; });
  }

  /// A thread has returned: who waited for it alone goes on.
  void leave(unsigned rank) {
    ++m_finished;
    Warp& warp = m_warps[rank / warp_size];
    warp.returned |= 1U << (rank % warp_size);
    for_each_lane(warp.arrived, [&](unsigned lane) {
      const tuner_cpu::WarpRequest& request = warp.requests[lane];
      const unsigned members = request.mask & ~warp.returned;
      const bool still_waits = (warp.arrived >> lane & 1U) != 0;
      if (still_waits && is_complete(warp, members, request)) finish(warp, rank - rank % warp_size, members);
    });
    if (m_arrived > 0 && all_arrived()) finish_barrier();
  }

  void wait(Waiting reason) {
    tuner_cpu::Thread* const self = tuner_cpu_current;
    m_states[self->rank].waiting = reason;
    m_states[self->rank].fibre = m_running;
    swapcontext(&m_running->context, &m_main);
    m_states[self->rank].waiting = Waiting::nothing;
    tuner_cpu_current = self;
  }

  /// One for threads that have not begun, else of a thread that waits no longer; null: there is none.
  Fibre* next_fibre() {
    if (m_next < m_block.threads) {
      for (unsigned i = 0; i < m_made; ++i) {
        if (m_fibres[i].is_idle) return &m_fibres[i];
      }
      return make_fibre();
    }
    for (unsigned looked = 0; looked < m_block.threads; ++looked) {
      m_turn = m_turn + 1 < m_block.threads ? m_turn + 1 : 0;
      if (m_states[m_turn].waiting == Waiting::no_longer) return m_states[m_turn].fibre;
    }
    return nullptr;
  }

  Fibre* make_fibre() {
    Fibre& fibre = m_fibres[m_made];
    void* const stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return nullptr;
    fibre.stack = stack;
    ++m_made;
    set_context(fibre.context, stack);
    return &fibre;
  }

  void set_context(ucontext_t& context, void* stack) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, reinterpret_cast<void (*)()>(&enter), 2,
                static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this) >> 32),
                static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this)));
  }

  static void enter(unsigned high, unsigned low) {
    reinterpret_cast<BlockRunner*>(std::uintptr_t{high} << 32 | low)->run_threads();
  }

  [[noreturn]] void run_threads() {
    Fibre* const self = m_running;
    const auto& kernel = *static_cast<const tuner_cpu::Kernel*>(m_launch.kernel);
    while (true) {
      self->is_idle = false;
      while (m_next < m_block.threads) {
        tuner_cpu_current = &m_threads[m_next++];
        kernel.invoke(m_launch.arguments);
        leave(tuner_cpu_current->rank);
        m_running = self;
      }
      self->is_idle = true;
      swapcontext(&self->context, &m_main);
    }
  }

  const CpuLaunch& m_launch;
  tuner_cpu::Block m_block;
  tuner_cpu::Thread m_threads[most_threads];
  State m_states[most_threads];
  Warp m_warps[most_threads / warp_size];
  Fibre m_fibres[most_threads];
  ucontext_t m_main;
  Fibre* m_running = nullptr;
  void* m_shared = nullptr;
  unsigned m_made = 0;
  unsigned m_next = 0;
  unsigned m_finished = 0;
  unsigned m_arrived = 0;
  int m_predicates = 0;
  int m_barrier_result = 0;
  unsigned m_turn = 0;
};

BlockRunner& runner() {
  return *static_cast<BlockRunner*>(tuner_cpu_current->block->runner);
}

/// The model that /proc/cpuinfo names, as the tuner's CPU device does.
void read_processor_name(char* name, std::size_t most) {
  FILE* const file = std::fopen("/proc/cpuinfo", "re");
  char line[512];
  std::snprintf(name, most, "CPU");
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "model name", 10) != 0) continue;
    const char* const value = std::strstr(line, ": ");
    if (value != nullptr)
      std::snprintf(name, most, "%.*s", static_cast<int>(std::strcspn(value + 2, "\n")), value + 2);
    break;
  }
  if (file != nullptr) std::fclose(file);
}

}  // namespace

tuner_error ask_cpu(Device& device) {
  read_processor_name(device.name, sizeof device.name);
  std::snprintf(device.architecture, sizeof device.architecture, "host");
  const auto set = [&](Limit limit, std::int64_t value) {
    device.limits[static_cast<std::uint32_t>(limit)] = value;
  };
  const int processors = util::usable_processors();
  set(Limit::multiprocessors, processors < most_workers ? processors : most_workers);
  set(Limit::warp_size, warp_size);
  set(Limit::max_threads_per_block, most_threads);
  set(Limit::max_threads_per_multiprocessor, most_threads);
  set(Limit::max_blocks_per_multiprocessor, 1);
  set(Limit::max_registers_per_block, 65536);
  set(Limit::max_registers_per_multiprocessor, 65536);
  set(Limit::max_static_shared_bytes, 48 << 10);
  set(Limit::max_shared_bytes_per_block, 227 << 10);
  set(Limit::max_shared_bytes_per_multiprocessor, 227 << 10);
  set(Limit::max_block_x, 1024);
  set(Limit::max_block_y, 1024);
  set(Limit::max_block_z, 64);
  set(Limit::max_grid_x, 2147483647);
  set(Limit::max_grid_y, 65535);
  set(Limit::max_grid_z, 65535);
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  set(Limit::l2_bytes, cache > 0 ? cache : 0);
  return TUNER_OK;
}

tuner_error run_on_cpu(const CpuLaunch& launch) {
  const auto& kernel = *static_cast<const tuner_cpu::Kernel*>(launch.kernel);
  if (kernel.parameters != static_cast<int>(launch.argument_count))
    return fail(TUNER_CANNOT_LAUNCH, "the kernel takes %d arguments and is given %u", kernel.parameters,
                launch.argument_count);
  void* const memory = malloc(sizeof(BlockRunner));
  if (memory == nullptr) return fail(TUNER_NO_MEMORY, "for a block");
  auto* const blocks = new (memory) BlockRunner(launch);
  tuner_error error = blocks->begin() ? TUNER_OK : fail(TUNER_NO_MEMORY, "for shared memory");
  for (unsigned z = 0; z < launch.grid[2] && error == TUNER_OK; ++z) {
    for (unsigned y = 0; y < launch.grid[1] && error == TUNER_OK; ++y) {
      for (unsigned x = 0; x < launch.grid[0] && error == TUNER_OK; ++x) {
        if (!blocks->run(x, y, z))
          error = fail(TUNER_CANNOT_LAUNCH, "threads of block (%u, %u, %u) wait for others that have ended",
                       x, y, z);
      }
    }
  }
  blocks->~BlockRunner();
  free(memory);
  return error;
}

}  // namespace tuner::use

// What kernels of the host's compiler call.

int tuner_cpu_barrier(int predicate, const char*, int) {
  return tuner::use::runner().barrier(predicate);
}

unsigned long long tuner_cpu_warp(const tuner_cpu::WarpRequest* request) {
  return tuner::use::runner().warp_operation(*request);
}

void tuner_cpu_yield() {
  tuner::use::runner().yield();
}

// run() refuses grids and clusters whose blocks may wait for each other, so these are a block's.

void tuner_cpu_grid_barrier(const char*, int) {
  tuner::use::runner().barrier(0);
}

void tuner_cpu_cluster_barrier(const char*, int) {
  tuner::use::runner().barrier(0);
}

void* tuner_cpu_map_shared(const void* address, unsigned) {
  return const_cast<void*>(address);
}

void tuner_cpu_assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion `%s` failed\n", file, line, condition);
  abort();
}

double tuner_cpu_clock_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

void tuner_cpu_access(const void*, unsigned, tuner_cpu::Access, const void*) {}
