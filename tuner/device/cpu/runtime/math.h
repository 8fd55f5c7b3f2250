#pragma once
// Light for kernels that need no more than CUDA gives; the host's own where other standard headers are used.
#if defined(TUNER_CPU_STANDARD_HEADERS)
#include_next <math.h>
#else
#include "cuda_on_cpu.hpp"
#endif
