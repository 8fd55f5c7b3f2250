#pragma once
// Blocks of a cluster that share a tile: each multiplies a part of its k-tiles. The others write their sums
// into the shared memory of the first, which adds them up in their order and stores: the same bits each time.
// It pays where there are fewer tiles than multiprocessors, as with few rows.

#include "wgmma/barrier.cuh"
#include "wgmma/multiply.cuh"

/// Which k-tiles are a block's.
struct Part {
  int number, first, count;
  __device__ explicit Part(int k_tiles) : number(blockIdx.x % CLUSTER / SQUARE) {
    first = number * k_tiles / CLUSTER_K;
    count = (number + 1) * k_tiles / CLUSTER_K - first;
  }
};

constexpr int QUADS = BLOCKS * WIDE / 8;  // of a thread's sums
static_assert(sizeof(Shared::parts) >= (CLUSTER_K - 1) * QUADS * TEAM * GROUP * sizeof(float4), "see Shared");

/// `worker` counts the threads that multiply. Says whether the sums are complete, which they are in one
/// block.
__device__ inline bool add_parts(Shared& shared, Sums& sums, const Part& part, int worker) {
  if constexpr (CLUSTER_K == 1) return true;
  float4* const parts = reinterpret_cast<float4*>(shared.parts) + worker;
  if (part.number > 0) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      const float* const quad = sums.of[i / (WIDE / 8)] + i % (WIDE / 8) * 4;
      asm volatile(
          "{ .reg .b32 there;\n"
          "mapa.shared::cluster.u32 there, %0, 0;\n"
          "st.shared::cluster.v4.f32 [there], {%1, %2, %3, %4}; }" ::"r"(
              shared_address(parts + ((part.number - 1) * QUADS + i) * (TEAM * GROUP))),
          "f"(quad[0]), "f"(quad[1]), "f"(quad[2]), "f"(quad[3])
          : "memory");
    }
    arrive_at_first_with_data(shared.parts_there);
    return false;
  }
  wait_for_data(shared.parts_there);
  for (int from = 0; from < CLUSTER_K - 1; ++from) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      const float4 quad = parts[(from * QUADS + i) * (TEAM * GROUP)];
      float* const to = sums.of[i / (WIDE / 8)] + i % (WIDE / 8) * 4;
      to[0] += quad.x;
      to[1] += quad.y;
      to[2] += quad.z;
      to[3] += quad.w;
    }
  }
  return true;
}
