#pragma once
// The functions that -fsanitize=thread makes the compiler call, defined here instead of by ThreadSanitizer's
// library: CUDA threads of a block are fibres of one worker, which that library would take for one thread.
// Each passes the access on, with the address of the code that made it.
#include "abi.hpp"

#define TUNER_CPU_HOOK extern "C" TUNER_CPU_UNREPORTED __attribute__((visibility("hidden")))
#define TUNER_CPU_ACCESS(name, bytes, access)                                                 \
  TUNER_CPU_HOOK void name(void* address) {                                                   \
    tuner_cpu_access(address, bytes, tuner_cpu::Access::access, __builtin_return_address(0)); \
  }
#define TUNER_CPU_SIZE(size)                                         \
  TUNER_CPU_ACCESS(__tsan_read##size, size, read)                    \
  TUNER_CPU_ACCESS(__tsan_write##size, size, write)                  \
  TUNER_CPU_ACCESS(__tsan_unaligned_read##size, size, read)          \
  TUNER_CPU_ACCESS(__tsan_unaligned_write##size, size, write)        \
  TUNER_CPU_ACCESS(__tsan_volatile_read##size, size, read)           \
  TUNER_CPU_ACCESS(__tsan_volatile_write##size, size, write)         \
  TUNER_CPU_ACCESS(__tsan_unaligned_volatile_read##size, size, read) \
  TUNER_CPU_ACCESS(__tsan_unaligned_volatile_write##size, size, write)
TUNER_CPU_SIZE(1)
TUNER_CPU_SIZE(2)
TUNER_CPU_SIZE(4)
TUNER_CPU_SIZE(8)
TUNER_CPU_SIZE(16)
#undef TUNER_CPU_SIZE
#undef TUNER_CPU_ACCESS

TUNER_CPU_HOOK void __tsan_read_range(void* address, unsigned long bytes) {
  tuner_cpu_access(address, static_cast<unsigned>(bytes), tuner_cpu::Access::read,
                   __builtin_return_address(0));
}
TUNER_CPU_HOOK void __tsan_write_range(void* address, unsigned long bytes) {
  tuner_cpu_access(address, static_cast<unsigned>(bytes), tuner_cpu::Access::write,
                   __builtin_return_address(0));
}
// The language's own atomics, of cuda::atomic and its like. Memory orders from 3 (__ATOMIC_RELEASE) on let
// others see what was done before.
namespace tuner_cpu {
inline TUNER_CPU_UNREPORTED void note_atomic(const volatile void* address, unsigned bytes, int order,
                                             const void* code) {
  tuner_cpu_access(const_cast<const void*>(address), bytes, order < 3 ? Access::atomic : Access::release,
                   code);
}
}  // namespace tuner_cpu
#define TUNER_CPU_NOTE_ATOMIC \
  tuner_cpu::note_atomic(address, sizeof *address, order, __builtin_return_address(0))
#define TUNER_CPU_ATOMIC_CHANGE(bits, type, name)                                                   \
  TUNER_CPU_HOOK type __tsan_atomic##bits##_##name(volatile type* address, type value, int order) { \
    TUNER_CPU_NOTE_ATOMIC;                                                                          \
    return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                       \
  }
#define TUNER_CPU_ATOMIC_SWAP(bits, type, name)                                                              \
  TUNER_CPU_HOOK int __tsan_atomic##bits##_##name(volatile type* address, type* expected, type value,        \
                                                  int order, int) {                                          \
    TUNER_CPU_NOTE_ATOMIC;                                                                                   \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define TUNER_CPU_ATOMIC_SIZE(bits, type)                                                                 \
  TUNER_CPU_HOOK type __tsan_atomic##bits##_load(const volatile type* address, int order) {               \
    tuner_cpu::note_atomic(address, sizeof *address, order > 2 ? 2 : order, __builtin_return_address(0)); \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  TUNER_CPU_HOOK void __tsan_atomic##bits##_store(volatile type* address, type value, int order) {        \
    TUNER_CPU_NOTE_ATOMIC;                                                                                \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                       \
  TUNER_CPU_HOOK type __tsan_atomic##bits##_exchange(volatile type* address, type value, int order) {     \
    TUNER_CPU_NOTE_ATOMIC;                                                                                \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                                       \
  TUNER_CPU_HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected,   \
                                                                 type value, int order, int) {            \
    TUNER_CPU_NOTE_ATOMIC;                                                                                \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    return expected;                                                                                      \
  }                                                                                                       \
  TUNER_CPU_ATOMIC_SWAP(bits, type, compare_exchange_strong)                                              \
  TUNER_CPU_ATOMIC_SWAP(bits, type, compare_exchange_weak)                                                \
  TUNER_CPU_ATOMIC_CHANGE(bits, type, fetch_add)                                                          \
  TUNER_CPU_ATOMIC_CHANGE(bits, type, fetch_sub)                                                          \
  TUNER_CPU_ATOMIC_CHANGE(bits, type, fetch_and)                                                          \
  TUNER_CPU_ATOMIC_CHANGE(bits, type, fetch_or)                                                           \
  TUNER_CPU_ATOMIC_CHANGE(bits, type, fetch_xor)                                                          \
  TUNER_CPU_ATOMIC_CHANGE(bits, type, fetch_nand)
TUNER_CPU_ATOMIC_SIZE(8, unsigned char)
TUNER_CPU_ATOMIC_SIZE(16, unsigned short)
TUNER_CPU_ATOMIC_SIZE(32, unsigned)
TUNER_CPU_ATOMIC_SIZE(64, unsigned long)
#undef TUNER_CPU_ATOMIC_SIZE
#undef TUNER_CPU_ATOMIC_CHANGE
#undef TUNER_CPU_ATOMIC_SWAP
#undef TUNER_CPU_NOTE_ATOMIC
TUNER_CPU_HOOK void __tsan_atomic_thread_fence(int) {}
TUNER_CPU_HOOK void __tsan_atomic_signal_fence(int) {}

TUNER_CPU_HOOK void __tsan_vptr_update(void**, void*) {}
TUNER_CPU_HOOK void __tsan_vptr_read(void**) {}
TUNER_CPU_HOOK void __tsan_init() {}
TUNER_CPU_HOOK void __tsan_func_entry(void*) {}
TUNER_CPU_HOOK void __tsan_func_exit() {}
#undef TUNER_CPU_HOOK
