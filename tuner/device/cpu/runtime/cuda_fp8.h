#pragma once
// As cuda_fp16.h; it leaves nothing to the device.
#include <cuda_bf16.h>
#if !__has_include_next(<cuda_fp8.h>)
#error "no CUDA toolkit: cuda_fp8.h is one of its headers; set CUDA_PATH to where one is"
#endif
#include "toolkit_begin.hpp"
#include_next <cuda_fp8.h>
#include "toolkit_end.hpp"
