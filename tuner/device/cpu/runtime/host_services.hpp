#pragma once
// What a kernel asks of its surroundings: clocks, printf, assert, trap.
#include "abi.hpp"
#include "assert.h"
#include "types.hpp"
#if defined(TUNER_CPU_STANDARD_HEADERS)
#include <sched.h>
#include <stdio.h>
#include <time.h>
#endif

// Of CUDA in every source; where accesses are reported, so are those of copies.
#if !defined(TUNER_CPU_STANDARD_HEADERS)
extern "C" void* memcpy(void* to, const void* from, size_t bytes) noexcept;
extern "C" void* memset(void* to, int value, size_t bytes) noexcept;
extern "C" void* malloc(size_t bytes) noexcept;
extern "C" void free(void* memory) noexcept;
#endif
#if defined(TUNER_CPU_REPORT_ACCESSES)
inline void* tuner_cpu_memcpy(void* to, const void* from, size_t bytes) noexcept {
  volatile char* const left = static_cast<char*>(to);
  const volatile char* const right = static_cast<const char*>(from);
  for (size_t i = 0; i < bytes; ++i) left[i] = right[i];
  return to;
}
inline void* tuner_cpu_memset(void* to, int value, size_t bytes) noexcept {
  volatile char* const left = static_cast<char*>(to);
  for (size_t i = 0; i < bytes; ++i) left[i] = static_cast<char>(value);
  return to;
}
namespace std {
using ::tuner_cpu_memcpy;
using ::tuner_cpu_memset;
}  // namespace std
#define memcpy tuner_cpu_memcpy
#define memset tuner_cpu_memset
#endif

// Nanoseconds of a steady clock stand for cycles.
inline long long clock64() {
  return static_cast<long long>(tuner_cpu_clock_ns());
}
#if !defined(TUNER_CPU_STANDARD_HEADERS)
typedef long clock_t;
inline clock_t clock() {
  return static_cast<clock_t>(tuner_cpu_clock_ns());
}
#endif
inline unsigned long long __globaltimer() {
  return static_cast<unsigned long long>(tuner_cpu_clock_ns());
}

// Who waits for another thread of the block in a loop has to let it run: threads of a block share a core.
inline int tuner_cpu_give_way() noexcept {
  tuner_cpu_yield();
  return 0;
}
inline void __nanosleep(unsigned) {
  tuner_cpu_yield();
}
// So wait the barriers, semaphores and pipelines of CUDA's C++ library.
#define sched_yield tuner_cpu_give_way
#define nanosleep(time, left) tuner_cpu_give_way()

// A kernel's printf is dropped: thousands of threads would write over the program's own output.
template <class... Values>
inline int tuner_cpu_printf(const char*, Values...) {
  return 0;
}
namespace std {
using ::tuner_cpu_printf;
}
#define printf tuner_cpu_printf

[[noreturn]] inline void __trap() {
  __builtin_trap();
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}
