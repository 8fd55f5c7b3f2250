#include <cooperative_groups.h>

#include "block_sum.cuh"

__global__ void cluster_sum(const float* in, float* partial, int n) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ float own;
  float sum = 0;
  for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) sum += in[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) own = sum;
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) sum += *cluster.map_shared_rank(&own, rank);
    partial[blockIdx.x / CLUSTER] = sum;
  }
  cluster.sync();  // nobody leaves while its shared memory is read
}

__global__ void sum_of_clusters(const float* partial, float* total, int clusters) {
  float sum = 0;
  for (int i = 0; i < clusters; ++i) sum += partial[i];
  *total = sum;
}
