#pragma once
// Qualifiers and attributes. What says where code or data lives means nothing here: host and device are one.

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
// No `inline` in these: `inline __forceinline__` would say it twice.
#define __forceinline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#if !defined(__clang__)
#define __builtin_assume(condition) ((condition) ? void(0) : __builtin_unreachable())
#endif

// The toolkit's own headers for this are not wanted: other headers of it include them.
#define __HOST_DEFINES_H__
#define __device_builtin__
#define __cudart_builtin__

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using uint = unsigned;
using ushort = unsigned short;
using ulong = unsigned long;
