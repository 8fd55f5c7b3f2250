#pragma once
// Random numbers from the toolkit's header, which declares as variables what are macros here.
#include "cuda_on_cpu.hpp"
#if !__has_include_next(<curand_kernel.h>)
#error "no CUDA toolkit: curand_kernel.h is one of its headers; set CUDA_PATH to where one is"
#endif
#include <library_types.h>
typedef struct CUstream_st* cudaStream_t;
#pragma push_macro("threadIdx")
#pragma push_macro("blockDim")
#undef threadIdx
#undef blockDim
#include_next <curand_kernel.h>
#pragma pop_macro("threadIdx")
#pragma pop_macro("blockDim")
