// Inclusive prefix sums in three launches: each block scans its piece, one block scans the blocks' sums, and each block
// adds the sum of all pieces before its own.

constexpr int WARPS = BLOCK_SIZE / 32;
constexpr int PIECE = BLOCK_SIZE * ITEMS_PER_THREAD;

__device__ ELEMENT_TYPE warp_scan(ELEMENT_TYPE value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const ELEMENT_TYPE before = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

/// The sum of the values of this thread and all threads before it. To be called by whole blocks; `of_warp` is shared.
__device__ ELEMENT_TYPE block_scan(ELEMENT_TYPE value, ELEMENT_TYPE* of_warp) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_scan(value);
  if (lane == 31) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const ELEMENT_TYPE sums = warp_scan(lane < WARPS ? of_warp[lane] : ELEMENT_TYPE(0));
    if (lane < WARPS) of_warp[lane] = sums;
  }
  __syncthreads();
  return warp == 0 ? value : of_warp[warp - 1] + value;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    scan_pieces(const ELEMENT_TYPE* __restrict__ in, ELEMENT_TYPE* __restrict__ out, ELEMENT_TYPE* sums, int n) {
  extern __shared__ ELEMENT_TYPE piece[];  // PIECE elements, so that global accesses are coalesced
  __shared__ ELEMENT_TYPE of_warp[WARPS];
  const int first = blockIdx.x * PIECE;
  for (int i = threadIdx.x; i < PIECE; i += BLOCK_SIZE) piece[i] = first + i < n ? in[first + i] : ELEMENT_TYPE(0);
  __syncthreads();

  ELEMENT_TYPE* own = piece + threadIdx.x * ITEMS_PER_THREAD;
  for (int k = 1; k < ITEMS_PER_THREAD; ++k) own[k] += own[k - 1];
  const ELEMENT_TYPE total = own[ITEMS_PER_THREAD - 1];
  const ELEMENT_TYPE through = block_scan(total, of_warp);
  const ELEMENT_TYPE before = __shfl_up_sync(0xffffffff, through, 1);
  const int lane = threadIdx.x % 32;
  const ELEMENT_TYPE offset = threadIdx.x == 0 ? ELEMENT_TYPE(0) : lane == 0 ? of_warp[threadIdx.x / 32 - 1] : before;
  for (int k = 0; k < ITEMS_PER_THREAD; ++k) own[k] += offset;
  __syncthreads();

  for (int i = threadIdx.x; i < PIECE && first + i < n; i += BLOCK_SIZE) out[first + i] = piece[i];
  if (threadIdx.x == BLOCK_SIZE - 1) sums[blockIdx.x] = through;
}

/// One block: makes `sums` the sums of all pieces up to each.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) scan_sums(ELEMENT_TYPE* sums, int pieces) {
  __shared__ ELEMENT_TYPE of_warp[WARPS];
  ELEMENT_TYPE carry = 0;
  for (int first = 0; first < pieces; first += BLOCK_SIZE) {
    const int i = first + threadIdx.x;
    const ELEMENT_TYPE through = block_scan(i < pieces ? sums[i] : ELEMENT_TYPE(0), of_warp);
    if (i < pieces) sums[i] = carry + through;
    carry += of_warp[WARPS - 1];
    __syncthreads();  // of_warp is written again
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    add_offsets(ELEMENT_TYPE* __restrict__ out, const ELEMENT_TYPE* __restrict__ sums, int n) {
  if (blockIdx.x == 0) return;
  const ELEMENT_TYPE offset = sums[blockIdx.x - 1];
  const int first = blockIdx.x * PIECE;
  for (int i = threadIdx.x; i < PIECE && first + i < n; i += BLOCK_SIZE) out[first + i] += offset;
}
