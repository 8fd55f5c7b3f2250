#pragma once
// What a kernel compiled for the CPU and the program that runs it agree on. Both sides include it: the
// kernel's shared object as the first of its headers, the program as tuner/device/cpu/runtime/abi.hpp. It
// needs no other header, so that compiling a kernel stays quick.
//
// The shared object calls back through the tuner_cpu_ symbols below, which the program exports to it.

// Of functions whose accesses are not reported, or report themselves. Clang reports atomics of functions with
// the usual attribute all the same.
#if !defined(TUNER_CPU_REPORT_ACCESSES)
#define TUNER_CPU_UNREPORTED
#elif defined(__clang__)
#define TUNER_CPU_UNREPORTED __attribute__((disable_sanitizer_instrumentation))
#else
#define TUNER_CPU_UNREPORTED __attribute__((no_sanitize("thread")))
#endif

namespace tuner_cpu {

inline constexpr int abi_version = 2;

struct Index3 {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

/// The block a worker is running; one object a worker, its `index` changes from block to block.
struct Block {
  Index3 index;
  Index3 size;
  Index3 grid;
  unsigned threads = 0;  ///< size.x * size.y * size.z
  void* dynamic_shared = nullptr;
  void* runner = nullptr;     ///< the program's own
  Index3 cluster{1, 1, 1};    ///< blocks in the cluster it belongs to …
  unsigned cluster_rank = 0;  ///< … and its place among them, x + cluster.x * (y + cluster.y * z)
  bool is_cooperative = false;
};

/// One CUDA thread.
struct Thread {
  Index3 index;
  unsigned rank = 0;  ///< x + size.x * (y + size.y * z); the lane is rank % 32
  Block* block = nullptr;
};

/// A place in a kernel's source.
struct Site {
  const char* file = nullptr;
  int line = 0;
};

/// What a warp's threads do together. Each operation is a rendezvous of the threads named in a mask.
enum class WarpOperation {
  sync,
  shuffle,  ///< the value of the lane each thread asks for
  ballot,   ///< a bit for each thread whose value is not 0
  match,    ///< a bit for each thread whose value is the caller's
  sum,      ///< of 32-bit values, modulo 2^32
  least,    ///< of signed 32-bit values
  greatest,
  least_unsigned,
  greatest_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

struct WarpRequest {
  WarpOperation operation = WarpOperation::sync;
  unsigned mask = 0;
  unsigned source_lane = 0;  ///< shuffle
  unsigned long long value = 0;
  Site site;
};

/// How a memory access may conflict with others: reads with writes and atomics, writes with all, atomics with
/// all but atomics. A release is an atomic that lets other threads see what was done before; a fence has no
/// address, and lets other blocks see it.
enum class Access { read, write, atomic, release, fence };

/// A kernel of the shared object, exported as tuner_cpu_kernel_0, tuner_cpu_kernel_1, …
struct Kernel {
  void (*invoke)(void** arguments);  ///< runs one thread; each argument is the address of its value
  int parameters;
  const unsigned* parameter_bytes;
};

/// Exported once as tuner_cpu_module.
struct Module {
  int version;
  bool static_shared_is_global;  ///< static shared arrays exist once, not once a worker: blocks must run one
                                 ///< by one
  bool reports_accesses;         ///< memory accesses are announced to tuner_cpu_access
};

}  // namespace tuner_cpu

extern "C" {
/// The CUDA thread that the calling worker runs now.
extern __thread tuner_cpu::Thread* tuner_cpu_current __attribute__((tls_model("initial-exec")));

/// Waits for all threads of the block; returns how many of them passed a predicate that is not 0.
int tuner_cpu_barrier(int predicate, const char* file, int line);
/// Waits for the threads named in the mask, which ask for the same operation; returns the caller's result.
unsigned long long tuner_cpu_warp(const tuner_cpu::WarpRequest* request);
/// Waits for all threads of a cooperative grid.
void tuner_cpu_grid_barrier(const char* file, int line);
/// Waits for all threads of the cluster.
void tuner_cpu_cluster_barrier(const char* file, int line);
/// What is at this address of the caller's shared memory, in that of block `rank` of its cluster.
void* tuner_cpu_map_shared(const void* address, unsigned rank);
/// Lets other threads of the block go on first.
void tuner_cpu_yield();
[[noreturn]] void tuner_cpu_assertion_failed(const char* condition, const char* file, int line);
double tuner_cpu_clock_ns();
/// An access of a module that reports its accesses. `code` is an address after the instruction.
void tuner_cpu_access(const void* address, unsigned bytes, tuner_cpu::Access access, const void* code);
}
