#pragma once
// Atomics: relaxed, as CUDA's are, and atomic across blocks that run at the same time.
//
// Where accesses are reported, an atomic reports itself as one: it conflicts with plain accesses alone. It is
// then not inlined, so that its return address is the line that called it.
#include "abi.hpp"
#include "types.hpp"

#if defined(TUNER_CPU_REPORT_ACCESSES)
#define TUNER_CPU_ATOMIC inline TUNER_CPU_UNREPORTED __attribute__((noinline))
#define TUNER_CPU_NOTE(at) \
  tuner_cpu_access(at, sizeof *(at), tuner_cpu::Access::atomic, __builtin_return_address(0))
#else
#define TUNER_CPU_ATOMIC inline
#define TUNER_CPU_NOTE(at) static_cast<void>(at)
#endif

namespace tuner_cpu {

/// Replaces *at by change(old) and returns the old value. `Bits` is an integer type of the same size.
template <class Bits, class Value, class Change>
inline TUNER_CPU_UNREPORTED Value exchange_with(Value* at, Change change) {
  static_assert(sizeof(Value) == sizeof(Bits), "the compare-and-swap is on the bits");
  Bits* bits = reinterpret_cast<Bits*>(at);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    Value before;
    __builtin_memcpy(&before, &old, sizeof old);
    const Value after = change(before);
    Bits next;
    __builtin_memcpy(&next, &after, sizeof next);
    if (__atomic_compare_exchange_n(bits, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return before;
  }
}

}  // namespace tuner_cpu

#define TUNER_CPU_FETCH(name, type, builtin)         \
  TUNER_CPU_ATOMIC type name(type* at, type value) { \
    TUNER_CPU_NOTE(at);                              \
    return builtin(at, value, __ATOMIC_RELAXED);     \
  }
#define TUNER_CPU_CHANGE(name, type, bits, change)                                           \
  TUNER_CPU_ATOMIC type name(type* at, type value) {                                         \
    TUNER_CPU_NOTE(at);                                                                      \
    return tuner_cpu::exchange_with<bits>(at, [value](type old) -> type { return change; }); \
  }
#define TUNER_CPU_INTEGER_ATOMICS(type)                                                           \
  TUNER_CPU_FETCH(atomicAdd, type, __atomic_fetch_add)                                            \
  TUNER_CPU_FETCH(atomicSub, type, __atomic_fetch_sub)                                            \
  TUNER_CPU_FETCH(atomicAnd, type, __atomic_fetch_and)                                            \
  TUNER_CPU_FETCH(atomicOr, type, __atomic_fetch_or)                                              \
  TUNER_CPU_FETCH(atomicXor, type, __atomic_fetch_xor)                                            \
  TUNER_CPU_FETCH(atomicExch, type, __atomic_exchange_n)                                          \
  TUNER_CPU_CHANGE(atomicMin, type, type, value < old ? value : old)                              \
  TUNER_CPU_CHANGE(atomicMax, type, type, old < value ? value : old)                              \
  TUNER_CPU_ATOMIC type atomicCAS(type* at, type expected, type value) {                          \
    TUNER_CPU_NOTE(at);                                                                           \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                              \
  }

TUNER_CPU_INTEGER_ATOMICS(int)
TUNER_CPU_INTEGER_ATOMICS(unsigned)
TUNER_CPU_INTEGER_ATOMICS(long long)
TUNER_CPU_INTEGER_ATOMICS(unsigned long long)
TUNER_CPU_ATOMIC unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short value) {
  TUNER_CPU_NOTE(at);
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
TUNER_CPU_CHANGE(atomicAdd, float, unsigned, old + value)
TUNER_CPU_CHANGE(atomicExch, float, unsigned, (static_cast<void>(old), value))
TUNER_CPU_CHANGE(atomicAdd, double, unsigned long long, old + value)
TUNER_CPU_CHANGE(atomicExch, double, unsigned long long, (static_cast<void>(old), value))
// atomicInc wraps to 0 above the limit, atomicDec to the limit below 0 (CUDA C++ Programming Guide, atomic
// functions).
TUNER_CPU_CHANGE(atomicInc, unsigned, unsigned, old >= value ? 0U : old + 1U)
TUNER_CPU_CHANGE(atomicDec, unsigned, unsigned, old == 0U || old > value ? value : old - 1U)
// Each element by itself, as the guide says.
TUNER_CPU_ATOMIC float2 atomicAdd(float2* at, float2 value) {
  TUNER_CPU_NOTE(at);
  const auto add = [](float& to, float more) {
    return tuner_cpu::exchange_with<unsigned>(&to, [more](float old) -> float { return old + more; });
  };
  return {add(at->x, value.x), add(at->y, value.y)};
}
TUNER_CPU_ATOMIC float4 atomicAdd(float4* at, float4 value) {
  const float2 first = atomicAdd(reinterpret_cast<float2*>(at), float2{value.x, value.y});
  const float2 second = atomicAdd(reinterpret_cast<float2*>(at) + 1, float2{value.z, value.w});
  return {first.x, first.y, second.x, second.y};
}
// CUDA has no atomicMin and atomicMax for floating types; neither have we, so that a kernel is not CPU-only
// by accident.

#undef TUNER_CPU_INTEGER_ATOMICS
#undef TUNER_CPU_CHANGE
#undef TUNER_CPU_FETCH

// Narrower and wider scopes: the block's and the system's are the device's here.
#define atomicAdd_block atomicAdd
#define atomicSub_block atomicSub
#define atomicAnd_block atomicAnd
#define atomicOr_block atomicOr
#define atomicXor_block atomicXor
#define atomicExch_block atomicExch
#define atomicMin_block atomicMin
#define atomicMax_block atomicMax
#define atomicCAS_block atomicCAS
#define atomicInc_block atomicInc
#define atomicDec_block atomicDec
#define atomicAdd_system atomicAdd
#define atomicSub_system atomicSub
#define atomicAnd_system atomicAnd
#define atomicOr_system atomicOr
#define atomicXor_system atomicXor
#define atomicExch_system atomicExch
#define atomicMin_system atomicMin
#define atomicMax_system atomicMax
#define atomicCAS_system atomicCAS
#define atomicInc_system atomicInc
#define atomicDec_system atomicDec
