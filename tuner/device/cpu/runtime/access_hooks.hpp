#pragma once
// The functions that -fsanitize=thread makes the compiler call, defined here instead of by ThreadSanitizer's
// library: CUDA threads of a block are fibres of one worker, which that library would take for one thread.
// Each passes the access on, with the address of the code that made it.
#include "abi.hpp"

#define TUNER_CPU_HOOK extern "C" __attribute__((no_sanitize("thread"), visibility("hidden")))
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
TUNER_CPU_HOOK void __tsan_vptr_update(void**, void*) {}
TUNER_CPU_HOOK void __tsan_vptr_read(void**) {}
TUNER_CPU_HOOK void __tsan_init() {}
TUNER_CPU_HOOK void __tsan_func_entry(void*) {}
TUNER_CPU_HOOK void __tsan_func_exit() {}
#undef TUNER_CPU_HOOK
