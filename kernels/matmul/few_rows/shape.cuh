#pragma once
// The tiling: a lane has TILE_M x THREAD_N elements of C, a warp LANES_N such lanes beside each other. The
// other lanes of the warp have the same elements and other k, four at a time: slices.

constexpr int WARP = 32;
constexpr int QUAD = 4;
constexpr int THREADS = WARPS * WARP;
constexpr int SLICES = WARP / LANES_N;
constexpr int TILE_N = LANES_N * THREAD_N;
constexpr int QUADS_N = THREAD_N / QUAD;
constexpr int STEPS = TILE_K / (QUAD * SLICES);  // of four k, of each slice
constexpr int ELEMENTS = TILE_M * TILE_N;
constexpr int VECTOR_FLOATS = VECTOR / 4;
static_assert(THREAD_N % QUAD == 0 && TILE_K % (QUAD * SLICES) == 0, "lanes load four numbers at a time");

struct Stage {
  float b[TILE_K][TILE_N];
  float a[TILE_M][TILE_K];
};

union WarpMemory {
  Stage stages[STAGES];
  float sums[SLICES][ELEMENTS];
};

__device__ inline int lane() {
  return threadIdx.x % WARP;
}
__device__ inline int slice() {
  return lane() / LANES_N;
}
__device__ inline int lane_column() {
  return lane() % LANES_N * QUAD;
}

__device__ inline void load_quad(float* to, const float* from) {
  const float4 quad = *reinterpret_cast<const float4*>(from);
  to[0] = quad.x;
  to[1] = quad.y;
  to[2] = quad.z;
  to[3] = quad.w;
}
__device__ inline void store_quad(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
}
