#pragma once
// The toolkit's header computes in half precision on a host too; what it leaves to the device is added.
#include "cuda_on_cpu.hpp"
#if !__has_include_next(<cuda_fp16.h>)
#error "no CUDA toolkit: cuda_fp16.h is one of its headers; set CUDA_PATH to where one is"
#endif
#include "toolkit_begin.hpp"
#include_next <cuda_fp16.h>
#include "toolkit_end.hpp"

#include "narrow_types.hpp"

namespace tuner_cpu {
template <>
struct Narrow<__half> {
  using Pair = __half2;
  static float wide(__half x) { return __half2float(x); }
  static __half rounded(double x) { return __double2half(x); }
};
template <>
struct NarrowPair<__half2> {
  using Element = __half;
};
}  // namespace tuner_cpu

TUNER_CPU_NARROW_TO_INTEGERS(__half, half)
