#pragma once
// CUDA C++ as an ordinary C++ compiler takes it. Everything a kernel sees before its own first line. There is
// no standard header in here: NVRTC has none either, and a kernel then compiles in tens of milliseconds. A
// source that includes some itself, or the toolkit's headers, which do, is compiled with
// TUNER_CPU_STANDARD_HEADERS and with these headers included before this one: what is defined here as macros
// would break them.
//
// Left undefined: __CUDA_ARCH__ and __CUDACC__. Inline PTX belongs behind an #ifdef on
// the first.
#include "abi.hpp"

#define TUNER_CPU 1

#include "atomics.hpp"
#include "host_services.hpp"
#include "intrinsics.hpp"
#include "launcher.hpp"
#include "mathematics.hpp"
#include "rounding.hpp"
#include "shared_memory.hpp"
#include "simd.hpp"
#include "special_functions.hpp"
#include "threads.hpp"
#include "types.hpp"
#if defined(TUNER_CPU_REPORT_ACCESSES)
#include "access_hooks.hpp"
#endif
