// The sum over a block's threads: shuffles within warps, shared memory between them. The result is thread 0's.
__device__ ELEMENT_TYPE warp_sum(ELEMENT_TYPE value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__device__ ELEMENT_TYPE block_sum(ELEMENT_TYPE value) {
  constexpr int WARPS = BLOCK_SIZE / 32;
  __shared__ ELEMENT_TYPE of_warp[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < WARPS ? of_warp[lane] : ELEMENT_TYPE(0));
  return value;
}
