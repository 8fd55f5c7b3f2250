#pragma once
// char1 … double4, dim3 and their make_ functions, with the sizes and alignments of CUDA's vector_types.h.
#include "qualifiers.hpp"

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

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
      : x(width), y(height), z(depth) {}
  constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
