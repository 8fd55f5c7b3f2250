#pragma once
// As cuda_fp16.h.
#include <cuda_fp16.h>
#if !__has_include_next(<cuda_bf16.h>)
#error "no CUDA toolkit: cuda_bf16.h is one of its headers; set CUDA_PATH to where one is"
#endif
#include "toolkit_begin.hpp"
#include_next <cuda_bf16.h>
#include "toolkit_end.hpp"

TUNER_CPU_NARROW_TYPE(__nv_bfloat16, __nv_bfloat162, bfloat16, __bfloat162float, __double2bfloat16)
