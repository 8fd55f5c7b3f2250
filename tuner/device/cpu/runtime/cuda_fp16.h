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

TUNER_CPU_NARROW_TYPE(__half, __half2, half, __half2float, __double2half)
