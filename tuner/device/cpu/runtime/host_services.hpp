#pragma once
// What a kernel asks of its surroundings: clocks, printf, assert, trap.
#include "abi.hpp"

// Nanoseconds of a steady clock stand for cycles.
inline long long clock64() {
  return static_cast<long long>(tuner_cpu_clock_ns());
}
inline long clock() {
  return static_cast<long>(tuner_cpu_clock_ns());
}
inline unsigned long long __globaltimer() {
  return static_cast<unsigned long long>(tuner_cpu_clock_ns());
}
inline void __nanosleep(unsigned) {}

// A kernel's printf is dropped: thousands of threads would write over the program's own output.
template <class... Values>
inline int printf(const char*, Values...) {
  return 0;
}

// A false assertion ends the process, and with it the trial: the status is `crashed`, the line is in the
// detail.
#if defined(NDEBUG)
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : tuner_cpu_assertion_failed(#condition, __FILE__, __LINE__))
#endif
[[noreturn]] inline void __trap() {
  __builtin_trap();
}
inline void __brkpt() {}
