#pragma once
// What a spec may ask for beside D = alpha * A * B in rows. What it does not define is off.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#if ELEMENT_BYTES == 1
#include <cuda_fp8.h>
#endif

#ifndef A_COLUMNS
#define A_COLUMNS 0  // A lies by columns: K rows of M numbers
#endif
#ifndef B_COLUMNS
#define B_COLUMNS 0  // B lies by columns: N rows of K numbers
#endif
#ifndef BETA
#define BETA 0  // D = alpha * A * B + beta * C
#endif
#ifndef FLOAT_OUT
#define FLOAT_OUT 0  // C and D are float
#endif
#ifndef GROUPED
#define GROUPED 0  // several products, see groups.cuh
#endif

using Number = ELEMENT_TYPE;
#if FLOAT_OUT
using Output = float;
#elif ELEMENT_BYTES == 1
using Output = __nv_bfloat16;
#else
using Output = Number;
#endif
