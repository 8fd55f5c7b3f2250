#pragma once
// Global memory to shared memory, by the copy engine: one thread asks for the boxes of a k-tile. What is
// outside of a matrix comes as zeros, and counts as bytes that have come. Blocks of a cluster that are beside
// each other need the same rows of A, those above each other the same columns of B: each copies a part and
// sends it to all.

#include <cuda.h>

#include "wgmma/barrier.cuh"
#include "wgmma/schedule.cuh"

__device__ inline void fetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// `blocks`: a bit for each block of the cluster that gets it, at the same place of its shared memory.
template <bool SEND>
__device__ inline void copy_box(void* to, const CUtensorMap& map, int x, int y, Barrier& barrier,
                                unsigned short blocks) {
  if constexpr (SEND) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(shared_address(&barrier)), "h"(blocks)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(shared_address(&barrier))
        : "memory");
  }
}

/// Of the product that a group has.
__device__ inline void copy_box_of_group(void* to, const CUtensorMap& map, int x, int y, int group,
                                         Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(group), "r"(shared_address(&barrier))
      : "memory");
}

class Copies {
 public:
  __device__ Copies(const CUtensorMap& a, const CUtensorMap& b) : m_a(a), m_b(b) {
    const int rank = blockIdx.x % SQUARE;
    m_row = rank % CLUSTER_M;
    m_column = rank / CLUSTER_M;
    for (int i = 0; i < CLUSTER_N; ++i) m_beside |= 1U << (m_row + i * CLUSTER_M);
    for (int i = 0; i < CLUSTER_M; ++i) m_above |= 1U << (i + m_column * CLUSTER_M);
  }

  /// Rows of A of the k-tile that begins at `k`, of the tile at `place`.
  __device__ void copy_a(unsigned char* stage, const Place& place, int k, Barrier& barrier) const {
    constexpr int rows_a = (A_COLUMNS ? TILE_K : TILE_M) / CLUSTER_N;
    const int first_a = m_column * rows_a;
    if constexpr (A_COLUMNS) {
      for (int i = 0; i < (TILE_M + ROW - 1) / ROW; ++i) {
        copy_box<(CLUSTER_N > 1)>(stage + (i * TILE_K + first_a) * ROW_BYTES, m_a, place.row + i * ROW,
                                  k + first_a, barrier, m_beside);
      }
    } else {
      for (int i = 0; i < TILE_K / ROW; ++i) {
        copy_box<(CLUSTER_N > 1)>(stage + (i * TILE_M + first_a) * ROW_BYTES, m_a, k + i * ROW,
                                  place.row + first_a, barrier, m_beside);
      }
    }
  }

  /// And its columns of B.
  __device__ void copy_b(unsigned char* stage, const Place& place, int k, Barrier& barrier) const {
    unsigned char* const b = stage + BYTES_A;
    constexpr int rows_b = (B_ROWS ? TILE_K : TILE_N) / CLUSTER_M;
    static_assert(CLUSTER_M == 1 || rows_b % 8 == 0, "the swizzle repeats every 8 rows");
    static_assert(!B_ROWS || GROUPED || rows_b % B_BOX == 0, "whole boxes: a barrier counts their bytes");
    const int first_b = m_row * rows_b;
    if constexpr (GROUPED) {
      static_assert(!GROUPED || B_ROWS, "groups have rows of B");
      for (int i = 0; i < (TILE_N + ROW - 1) / ROW; ++i) {
        copy_box_of_group(b + i * TILE_K * ROW_BYTES, m_b, place.column + i * ROW, k, place.group, barrier);
      }
    } else if constexpr (B_ROWS) {
      for (int row = 0; row < rows_b; row += B_BOX) {
        for (int i = 0; i < (TILE_N + ROW - 1) / ROW; ++i) {
          copy_box<(CLUSTER_M > 1)>(b + (i * TILE_K + first_b + row) * ROW_BYTES, m_b, place.column + i * ROW,
                                    k + first_b + row, barrier, m_above);
        }
      }
    } else {
      for (int i = 0; i < TILE_K / ROW; ++i) {
        copy_box<(CLUSTER_M > 1)>(b + (i * TILE_N + first_b) * ROW_BYTES, m_b, k + i * ROW,
                                  place.column + first_b, barrier, m_above);
      }
    }
  }

 private:
  const CUtensorMap& m_a;
  const CUtensorMap& m_b;
  int m_row, m_column;  // of the block in its cluster
  unsigned short m_beside = 0, m_above = 0;
};

/// A stage has been read by this warpgroup: says so to the blocks that copy into it.
__device__ inline void release(Barrier& empty, int thread) {
  if constexpr (SQUARE == 1) {
    if (thread == 0) arrive(empty);
  } else {
    const int rank = blockIdx.x % SQUARE;
    if (thread < SQUARE && (thread % CLUSTER_M == rank % CLUSTER_M || thread / CLUSTER_M == rank / CLUSTER_M))
      arrive_at(empty, thread);
  }
}
constexpr int RELEASES = TEAM * (CLUSTER_M + CLUSTER_N - 1);
