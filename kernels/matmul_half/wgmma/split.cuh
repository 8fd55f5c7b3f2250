#pragma once
// Blocks that share a tile: each multiplies some of its k-tiles, and the one that has the first k-tile adds
// up the sums of the others in a fixed order and stores. So results have the same bits each time.
//
// Blocks of a cluster write their sums into the shared memory of the first. That pays where there are fewer
// tiles than multiprocessors, as with few rows. With SPLIT_REST the parts of a tile lie anywhere, and sums go
// through global memory, as in mma/parts.cuh.

#include "wgmma/barrier.cuh"
#include "wgmma/multiply.cuh"
#include "wgmma/schedule.cuh"

constexpr int QUADS = BLOCKS * WIDE / 8;  // of a thread's sums
static_assert(sizeof(Shared::parts) >= (CLUSTER_K - 1) * QUADS * TEAM * GROUP * sizeof(float4), "see Shared");

/// Where sums go through global memory.
struct Parts {
  float4* sums;        // one tile for each block
  unsigned* arrivals;  // how many parts of each divided tile are there; 0 between launches
};

template <typename From>
__device__ inline void add_quads(Sums& sums, From from) {
#pragma unroll
  for (int i = 0; i < QUADS; ++i) {
    const float4 quad = from(i);
    float* const to = sums.of[i / (WIDE / 8)] + i % (WIDE / 8) * 4;
    to[0] += quad.x;
    to[1] += quad.y;
    to[2] += quad.z;
    to[3] += quad.w;
  }
}

/// The threads that share a tile. The first barriers are those of store.cuh.
__device__ inline void team_barrier(int team) {
  asm volatile("bar.sync %0, %1;" ::"r"(CONSUMERS + 1 + team), "n"(TEAM * GROUP) : "memory");
}

/// Between blocks of a cluster. `worker` counts the threads that multiply. Says whether the sums are
/// complete.
__device__ inline bool add_in_cluster(Shared& shared, Sums& sums, int part, int worker) {
  float4* const parts = reinterpret_cast<float4*>(shared.parts) + worker;
  if (part > 0) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      const float* const quad = sums.of[i / (WIDE / 8)] + i % (WIDE / 8) * 4;
      asm volatile(
          "{ .reg .b32 there;\n"
          "mapa.shared::cluster.u32 there, %0, 0;\n"
          "st.shared::cluster.v4.f32 [there], {%1, %2, %3, %4}; }" ::"r"(
              shared_address(parts + ((part - 1) * QUADS + i) * (TEAM * GROUP))),
          "f"(quad[0]), "f"(quad[1]), "f"(quad[2]), "f"(quad[3])
          : "memory");
    }
    arrive_at_first_with_data(shared.parts_there);
    return false;
  }
  wait_for_data(shared.parts_there);
  for (int from = 0; from < CLUSTER_K - 1; ++from) {
    add_quads(sums, [&](int i) { return parts[(from * QUADS + i) * (TEAM * GROUP)]; });
  }
  return true;
}

/// Through global memory, in the block that has the first part.
__device__ inline bool add_in_memory(const Parts& parts, Sums& sums, const Division& division,
                                     const Place& place, int team, int worker) {
  if (place.square < division.whole_squares || division.parts == 1) return true;
  const int divided = division.rows * division.columns - division.whole_squares;
  const int tile = place.square - division.whole_squares;
  unsigned* const arrivals = parts.arrivals + tile;
  const auto slot = [&](int part) {
    return parts.sums + static_cast<long long>((part - 1) * divided + tile) * QUADS * TEAM * GROUP + worker;
  };
  if (place.part > 0) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      const float* const quad = sums.of[i / (WIDE / 8)] + i % (WIDE / 8) * 4;
      __stcg(slot(place.part) + i * TEAM * GROUP, make_float4(quad[0], quad[1], quad[2], quad[3]));
    }
    team_barrier(team);
    if (worker == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    return false;
  }
  if (worker == 0) {
    unsigned seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrivals) : "memory");
    } while (seen != division.parts - 1);
    *arrivals = 0;
  }
  team_barrier(team);
  for (int part = 1; part < division.parts; ++part) {
    add_quads(sums, [&](int i) { return __ldcg(slot(part) + i * TEAM * GROUP); });
  }
  return true;
}
