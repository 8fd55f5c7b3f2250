#pragma once
// As cuda_fp16.h.
#include <cuda_fp16.h>
#if !__has_include_next(<cuda_bf16.h>)
#error "no CUDA toolkit: cuda_bf16.h is one of its headers; set CUDA_PATH to where one is"
#endif
#include "toolkit_begin.hpp"
#include_next <cuda_bf16.h>
#include "toolkit_end.hpp"

namespace tuner_cpu {
template <>
struct Narrow<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __nv_bfloat16 rounded(double x) { return __double2bfloat16(x); }
};
template <>
struct NarrowPair<__nv_bfloat162> {
  using Element = __nv_bfloat16;
};
}  // namespace tuner_cpu

TUNER_CPU_NARROW_TO_INTEGERS(__nv_bfloat16, bfloat16)
