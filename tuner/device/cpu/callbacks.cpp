// What kernels call besides waiting (block_switching.cpp): see runtime/abi.hpp. The linker exports these
// names from every program that links this library.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/runtime/abi.hpp"

namespace {

tuner::device::cpu::BlockRunner& running() {
  return *static_cast<tuner::device::cpu::BlockRunner*>(tuner_cpu_current->block->runner);
}

}  // namespace

__thread tuner_cpu::Thread* tuner_cpu_current = nullptr;

void tuner_cpu_assertion_failed(const char* condition, const char* file, int line) {
  const tuner_cpu::Index3& block = tuner_cpu_current->block->index;
  const tuner_cpu::Index3& thread = tuner_cpu_current->index;
  std::fprintf(stderr, "%s:%d: block (%u, %u, %u), thread (%u, %u, %u): assertion `%s` failed\n", file, line,
               block.x, block.y, block.z, thread.x, thread.y, thread.z, condition);
  std::abort();
}

void tuner_cpu_grid_barrier(const char* file, int line) {
  running().grid_barrier({file, line});
}

void tuner_cpu_cluster_barrier(const char* file, int line) {
  running().cluster_barrier({file, line});
}

void* tuner_cpu_map_shared(const void* address, unsigned rank) {
  return running().map_shared(address, rank);
}

double tuner_cpu_clock_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void tuner_cpu_access(const void* address, unsigned bytes, tuner_cpu::Access access, const void* code) {
  // While a module is being loaded its initialisers run, on no CUDA thread.
  if (tuner_cpu_current != nullptr) running().report_access(address, bytes, access, code);
}
