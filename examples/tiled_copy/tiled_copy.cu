// A matrix copied tile by tile by the tensor memory accelerator: one thread asks, the hardware works out addresses and edges.
#include <cuda.h>

#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace bulk = cuda::device::experimental;

__global__ void tiled_copy(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  extern __shared__ __align__(128) float tiles[][TILE_Y][TILE_X];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier arrived[TILES];
  if (threadIdx.x != 0) return;
  const int x = blockIdx.x * TILE_X, y = blockIdx.y * TILES * TILE_Y;
  for (int i = 0; i < TILES; ++i) init(&arrived[i], 1);
  bulk::fence_proxy_async_shared_cta();
  for (int i = 0; i < TILES; ++i)
    bulk::cp_async_bulk_tensor_2d_global_to_shared(&tiles[i], &from, x, y + i * TILE_Y, arrived[i]);
  for (int i = 0; i < TILES; ++i) {
    arrived[i].wait(cuda::device::barrier_arrive_tx(arrived[i], 1, sizeof tiles[i]));
    bulk::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y + i * TILE_Y, &tiles[i]);
    bulk::cp_async_bulk_commit_group();
  }
  bulk::cp_async_bulk_wait_group_read<0>();
}
