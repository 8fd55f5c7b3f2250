#pragma once
// CUDA's words for declarations, which say where code or data lives and mean nothing here: host and device
// are one. And its types: char1 … double4 and dim3 with their make_ functions, of the sizes and alignments
// that CUDA's vector_types.h has.

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

// These take the place of the toolkit's headers, which other headers of it include.
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_HPP__
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#define TUNER_CPU_VECTOR(name, type, align1, align2, align4)      \
  struct __align__(align1) name##1 {                              \
    type x;                                                       \
  };                                                              \
  struct __align__(align2) name##2 {                              \
    type x, y;                                                    \
  };                                                              \
  struct name##3 {                                                \
    type x, y, z;                                                 \
  };                                                              \
  struct __align__(align4) name##4 {                              \
    type x, y, z, w;                                              \
  };                                                              \
  inline name##1 make_##name##1(type x) {                         \
    return {x};                                                   \
  }                                                               \
  inline name##2 make_##name##2(type x, type y) {                 \
    return {x, y};                                                \
  }                                                               \
  inline name##3 make_##name##3(type x, type y, type z) {         \
    return {x, y, z};                                             \
  }                                                               \
  inline name##4 make_##name##4(type x, type y, type z, type w) { \
    return {x, y, z, w};                                          \
  }

TUNER_CPU_VECTOR(char, signed char, 1, 2, 4)
TUNER_CPU_VECTOR(uchar, unsigned char, 1, 2, 4)
TUNER_CPU_VECTOR(short, short, 2, 4, 8)
TUNER_CPU_VECTOR(ushort, unsigned short, 2, 4, 8)
TUNER_CPU_VECTOR(int, int, 4, 8, 16)
TUNER_CPU_VECTOR(uint, unsigned, 4, 8, 16)
TUNER_CPU_VECTOR(long, long, 8, 16, 16)
TUNER_CPU_VECTOR(ulong, unsigned long, 8, 16, 16)
TUNER_CPU_VECTOR(longlong, long long, 8, 16, 16)
TUNER_CPU_VECTOR(ulonglong, unsigned long long, 8, 16, 16)
TUNER_CPU_VECTOR(float, float, 4, 8, 16)
TUNER_CPU_VECTOR(double, double, 8, 16, 16)
#undef TUNER_CPU_VECTOR

// CUDA 13's own names for the vectors of 32 bytes.
#define TUNER_CPU_WIDE_VECTOR(name, type, align)            \
  struct __align__(align) name {                            \
    type x, y, z, w;                                        \
  };                                                        \
  inline name make_##name(type x, type y, type z, type w) { \
    return {x, y, z, w};                                    \
  }
TUNER_CPU_WIDE_VECTOR(long4_16a, long, 16)
TUNER_CPU_WIDE_VECTOR(long4_32a, long, 32)
TUNER_CPU_WIDE_VECTOR(ulong4_16a, unsigned long, 16)
TUNER_CPU_WIDE_VECTOR(ulong4_32a, unsigned long, 32)
TUNER_CPU_WIDE_VECTOR(longlong4_16a, long long, 16)
TUNER_CPU_WIDE_VECTOR(longlong4_32a, long long, 32)
TUNER_CPU_WIDE_VECTOR(ulonglong4_16a, unsigned long long, 16)
TUNER_CPU_WIDE_VECTOR(ulonglong4_32a, unsigned long long, 32)
TUNER_CPU_WIDE_VECTOR(double4_16a, double, 16)
TUNER_CPU_WIDE_VECTOR(double4_32a, double, 32)
#undef TUNER_CPU_WIDE_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
      : x(width), y(height), z(depth) {}
  constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
