#pragma once
// The roles of the warpgroups of a block, see wgmma.cu.

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "wgmma needs the architecture sm_90a"
#endif

#include "wgmma/barrier.cuh"
#include "wgmma/copies.cuh"
#include "wgmma/multiply.cuh"
#include "wgmma/scale.cuh"
#include "wgmma/schedule.cuh"
#include "wgmma/shape.cuh"
#include "wgmma/split.cuh"
#if FLOAT_OUT
#include "wgmma/store_floats.cuh"
#else
#include "wgmma/store.cuh"
#endif

/// A warpgroup gives registers back, or takes some more. One that multiplies alone has enough.
template <int COUNT>
__device__ inline void keep_registers() {
  if constexpr (CONSUMERS > 1) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT>
__device__ inline void take_registers() {
  if constexpr (CONSUMERS > 1) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

__device__ inline void copy_tiles(Shared& shared, const Copies& copies, Schedule schedule) {
  Turn turn(0);
  Place place;
  int early = 0;  // k-tiles whose B is on its way
  if constexpr (OVERLAP == 2) {
    for (; schedule.get(place) && early < min(STAGES, place.k_tiles); ++early) {
      expect_bytes(shared.full[early], STAGE_BYTES);
      copies.copy_b(shared.stages[early], place, (place.first_k + early) * TILE_K, shared.full[early]);
    }
    wait_for_launch_before();
  }
  const auto copy = [&] {
    for (int k = place.first_k; k < place.first_k + place.k_tiles; ++k) {
      unsigned char* const stage = shared.stages[turn.stage];
      Barrier& full = shared.full[turn.stage];
      if (early == 0) {
        wait(shared.empty[turn.stage], turn.parity ^ 1);
        expect_bytes(full, STAGE_BYTES);
        copies.copy_b(stage, place, k * TILE_K, full);
      } else {
        --early;
      }
      copies.copy_a(stage, place, k * TILE_K, full);
      turn.advance();
    }
  };
  // Two loops, so that the one for whole tiles counts in registers that all threads share.
  for (; schedule.get_whole(place); schedule.advance()) copy();
  if (SPLIT_REST && schedule.get_part(place)) copy();
}

/// `group` counts the warpgroups that multiply, `thread` its threads.
__device__ inline void multiply_tiles(Shared& shared, Store store, Schedule schedule, const Scales& scales,
                                      const Parts& parts, int group, int thread) {
  const int team = group / TEAM, in_team = group % TEAM, worker = in_team * GROUP + thread;
  unsigned first_k_tile = 0;
  unsigned tiles = team == 0 ? 1 : 0;  // parity of the tiles that this team has had; the first waits for none
  int next_team = 0;
  for (Place place; schedule.get(place); schedule.advance()) {
    const unsigned first = first_k_tile;
    first_k_tile += place.k_tiles;
    if constexpr (TEAMS > 1) {
      const int of = next_team;
      next_team ^= 1;
      if (of != team) continue;
    }
    if constexpr (TURNS) wait(shared.turn[team], tiles++ % 2);
    Turn turn(first);
    Sums sums, total;
    if (PROMOTE || CLUSTER_K > 1 && place.k_tiles == 0) total = {};
    int last = 0;
    for (int k = 0; k < place.k_tiles; ++k) {
      wait(shared.full[turn.stage], turn.parity);
      multiply_tile(PROMOTE ? sums : total, shared_address(shared.stages[turn.stage]), in_team,
                    !PROMOTE && k > 0);
      if constexpr (PROMOTE) {
        wait_for_batches<0>();
        release(shared.empty[turn.stage], thread);
        add(total, sums);
      } else if (k > 0) {
        wait_for_batches<1>();
        release(shared.empty[last], thread);
      }
      last = turn.stage;
      turn.advance();
    }
    if constexpr (TURNS) {
      if (thread == 0) arrive(shared.turn[team ^ 1]);
    }
    wait_for_batches<0>();
    if (!PROMOTE && (CLUSTER_K == 1 || place.k_tiles > 0)) release(shared.empty[last], thread);
    if constexpr (CLUSTER_K > 1) {
      if (!add_in_cluster(shared, total, place.part, worker)) break;
    }
    if constexpr (SPLIT_REST) {
      if (!add_in_memory(parts, total, schedule.division(), place, team, worker)) break;
    }
    const int row = place.row + (TRANSPOSED ? 0 : in_team * GROUP_LONG);
    const int column = place.column + (TRANSPOSED ? in_team * GROUP_LONG : 0);
    scale(total, scales, store.result(), row, column);
    store.store(total, row, column, place.end);
  }
  store.finish();
}

/// What a block does; its arguments are those of the kernels.
__device__ inline void run_block(const CUtensorMap& A_map, const CUtensorMap& B_map, const CUtensorMap& D_map,
                                 Result result, const Scales& scales, const Groups& groups,
                                 const Division& division, const Parts& parts = {}) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int warp = __shfl_sync(0xffffffffU, threadIdx.x / WARP, 0);
  if (threadIdx.x == 0) {
    fetch_map(A_map);
    fetch_map(B_map);
    for (int i = 0; i < STAGES; ++i) {
      make_barrier(shared.full[i], 1);
      make_barrier(shared.empty[i], RELEASES);
    }
    for (int i = 0; i < TEAMS; ++i) make_barrier(shared.turn[i], 1);
    if constexpr (CLUSTER_K > 1) make_barrier(shared.parts_there, (CLUSTER_K - 1) * TEAM * GROUP);
    publish_barriers();
    if constexpr (!FLOAT_OUT) fetch_map(D_map);
  }
  __syncwarp();
  meet_at_begin(warp < 4);
  let_next_launch_begin();
  if (OVERLAP == 1 || OVERLAP == 2 && warp >= 4) wait_for_launch_before();
  if (warp < 4) {
    keep_registers<CONSUMERS == 2 ? 24 : 32>();
    if (warp == 0 && threadIdx.x == 0) {
      copy_tiles(shared, Copies(A_map, B_map), Schedule(division, groups));
    }
  } else {
    take_registers<CONSUMERS == 2 ? 240 : 160>();
    const int group = warp / 4 - 1;
    result.alpha *= common_scale(scales);
    multiply_tiles(shared, Store(D_map, result, shared.stores[(warp - 4) / STORE_WARPS]),
                   Schedule(division, groups), scales, parts, group, threadIdx.x % GROUP);
  }
  meet_at_end();
}
