#pragma once
// The driver's types; a kernel needs at most that of a tensor map, which is there without a toolkit too.
#include "cuda_on_cpu.hpp"
#if defined(TUNER_CPU_STANDARD_HEADERS) && __has_include_next(<cuda.h>)
#include_next <cuda.h>
#else
typedef struct CUtensorMap_st {
  alignas(128) unsigned long long opaque[16];
} CUtensorMap;
#endif
