// VECTOR elements, loaded and stored together.
#pragma once

template <int width>
struct FloatVector;
template <>
struct FloatVector<1> {
  using type = float;
};
template <>
struct FloatVector<2> {
  using type = float2;
};
template <>
struct FloatVector<4> {
  using type = float4;
};
using Vector = typename FloatVector<VECTOR>::type;

__device__ inline void add(float& sum, float x) { sum += x; }

__device__ inline void add(float2& sum, float2 x) {
  sum.x += x.x;
  sum.y += x.y;
}

__device__ inline void add(float4& sum, float4 x) {
  sum.x += x.x;
  sum.y += x.y;
  sum.z += x.z;
  sum.w += x.w;
}
