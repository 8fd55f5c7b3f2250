#pragma once
// From an array of argument addresses to a call of the kernel with its own parameter types.
#include "abi.hpp"

namespace tuner_cpu {

inline constexpr Module this_module = {
    abi_version,
#if defined(TUNER_CPU_STATIC_SHARED)
    true,
#else
    false,
#endif
#if defined(TUNER_CPU_REPORT_ACCESSES)
    true,
#else
    false,
#endif
};

template <int... Index>
struct Indices {};
template <int Count, int... Index>
struct MakeIndices : MakeIndices<Count - 1, Count - 1, Index...> {};
template <int... Index>
struct MakeIndices<0, Index...> {
  using Type = Indices<Index...>;
};

template <class Type>
struct Value {  // a parameter without top-level const
  using Of = Type;
};
template <class Type>
struct Value<const Type> {
  using Of = Type;
};

template <auto Function, class Signature = decltype(Function)>
struct Launcher {
  static_assert(sizeof(Signature) == 0, "the entry is not a __global__ function that returns void");
};

template <auto Function, class... Parameters>
struct Launcher<Function, void (*)(Parameters...)> {
  template <int... Index>
  static void call(void** arguments, Indices<Index...>) {
    static_cast<void>(arguments);
    Function(*static_cast<typename Value<Parameters>::Of*>(arguments[Index])...);
  }
  static void invoke(void** arguments) {
    call(arguments, typename MakeIndices<sizeof...(Parameters)>::Type{});
  }
  static constexpr unsigned bytes[sizeof...(Parameters) + 1] = {static_cast<unsigned>(sizeof(Parameters))...,
                                                                0U};
  static constexpr Kernel kernel = {&invoke, static_cast<int>(sizeof...(Parameters)), bytes};
};

}  // namespace tuner_cpu
