#pragma once
// Shared memory. A block runs on one worker from beginning to end, so an array for each worker is an array
// for each block that runs: `__shared__` is thread_local (in a function, static is implied).
//
// `extern __shared__ T name[];` cannot be expressed by a macro: the compiler's front end rewrites it (see
// compile/host/shared_memory_rewrite.hpp) into a binding to the objects below.
//
// AddressSanitizer puts no redzones around thread_local arrays. For it the front end binds the static arrays
// of functions to memory of their own (GCC leaves the static arrays of templates without redzones too), and
// `static` serves those outside; blocks then run one by one.
#include "abi.hpp"
#include "types.hpp"

#if defined(TUNER_CPU_STATIC_SHARED)
#define __shared__ static
#else
#define __shared__ thread_local
#endif

namespace tuner_cpu {

/// Binds to a reference to any array type: `float (&name)[] = tuner_cpu::DynamicShared{};`
struct DynamicShared {
  template <class Array>
  operator Array&() const {
    return *static_cast<Array*>(tuner_cpu_current->block->dynamic_shared);
  }
};

/// The same outside functions, where a reference would be bound before any block exists. `Array` is `T[]` or
/// `T[][N]`. Casts to pointers are casts of its address; so is its name alone, to which the front end adds
/// `+`.
template <class Array>
class DynamicSharedArray;

template <class Element>
class DynamicSharedArray<Element[]> {
 public:
  operator Element*() const { return static_cast<Element*>(tuner_cpu_current->block->dynamic_shared); }
  template <class Other>
  explicit operator Other() const {
    return (Other) static_cast<Element*>(*this);
  }
  auto operator&() const -> Element (*)[] {
    return static_cast<Element(*)[]>(tuner_cpu_current->block->dynamic_shared);
  }
};

#if defined(TUNER_CPU_STATIC_SHARED)
extern "C" int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept;

/// Binds to a reference to any object type; each declaration, and each instantiation of it, has a
/// `Declaration` and so an object of its own. The bytes after it are out of bounds.
template <class Declaration>
struct StaticShared {
  template <class Object>
  operator Object&() const {
    static void* const memory = allocate(sizeof(Object));
    return *static_cast<Object*>(memory);
  }
  static void* allocate(size_t bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, 256, bytes) != 0) __builtin_trap();
    return __builtin_memset(memory, 0xff, bytes);
  }
};

template <class Declaration>
inline StaticShared<Declaration> static_shared(Declaration) {
  return {};
}
#endif

}  // namespace tuner_cpu
