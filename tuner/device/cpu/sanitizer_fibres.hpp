#pragma once
#include <cstddef>

// AddressSanitizer must be told when a thread moves to another stack. Its library is there only in a process
// it was loaded into, so the functions (sanitizer/common_interface_defs.h) are weak.
extern "C" {
void __sanitizer_start_switch_fiber(void** save, const void* bottom, std::size_t bytes) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void* saved, const void** old_bottom, std::size_t* old_bytes)
    __attribute__((weak));
// sanitizer/asan_interface.h
void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes) __attribute__((weak));
}
