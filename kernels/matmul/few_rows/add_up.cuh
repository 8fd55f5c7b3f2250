#pragma once
// Adds up what the warps of a block and the blocks of a cluster have of each element, in a fixed order: the
// same bits each time. A cluster lies along x.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#define HAS_CLUSTERS 1
#endif

/// `part(i, element)` is a reference to part i of a block's sum, in shared memory; `store(element, sum)` gets
/// each sum once. All threads of the block have written their parts.
template <int ELEMENTS, int PARTS, int THREADS, typename Part, typename Store>
__device__ inline void add_up(Part part, Store store) {
  __syncthreads();
  const auto sum_of_block = [&](int element) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) sum += part(i, element);
    return sum;
  };
  const int block = blockIdx.x, blocks = gridDim.x;
  if (blocks == 1) {
#pragma unroll
    for (int i = threadIdx.x; i < ELEMENTS; i += THREADS) store(i, sum_of_block(i));
    return;
  }
#ifdef HAS_CLUSTERS
  // A sum takes the place of its first part, which no other thread reads.
  for (int i = threadIdx.x; i < ELEMENTS; i += THREADS) part(0, i) = sum_of_block(i);
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  cluster.sync();
  for (int i = block * THREADS + threadIdx.x; i < ELEMENTS; i += blocks * THREADS) {
    float sum = 0;
#pragma unroll 8
    for (int other = 0; other < blocks; ++other) sum += *cluster.map_shared_rank(&part(0, i), other);
    store(i, sum);
  }
  cluster.sync();  // a block must not end while others read its sums
#endif
}
