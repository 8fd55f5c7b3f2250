// D (M x N) = alpha * A (M x K) * B (K x N) where M is small, in half or bfloat16 with sums in float: reading
// B is what takes the time. For every GPU with mma of bfloat16, from sm_80 on.
//
// Each warp streams by itself, as those of kernels/matmul/few_rows.cu do: it has TILE_M rows, TILE_N columns
// and every WARPS-th k-tile of its block. The tensor cores multiply the transpose, B^T * A^T: 16 columns of D
// by 8 rows an instruction, so that 8 rows are no waste.
#include "few_rows/add_up.cuh"
#include "few_rows/stream.cuh"
#include "few_rows_mma/multiply.cuh"

struct Product {
  const Number* A;
  const Number* B;
  int M, N, K, lda, ldb;
};

/// Asks for a k-tile, 16 bytes at a time. Rows below M, columns beyond N and k beyond K are filled with
/// zeros.
__device__ inline void copy_tile(Stage& stage, const Product& product, int row, int column, int k) {
  constexpr int pieces_b = TILE_K * TILE_N / PIECE;
#pragma unroll
  for (int first = 0; first < pieces_b; first += WARP) {
    const int i = first + lane();
    const int in_k = i / (TILE_N / PIECE), in_row = i % (TILE_N / PIECE);
    const int at = column + in_row * PIECE;
    copy_all<16>(stage.b + place_b(in_k, in_row),
                 product.B + static_cast<long long>(k + in_k) * product.ldb + at,
                 at < product.N ? product.K - k : 0, in_k);
  }
  constexpr int pieces_a = TILE_M * TILE_K / PIECE;
#pragma unroll
  for (int first = 0; first < pieces_a; first += WARP) {
    const int i = first + lane();
    const int in_m = i / (TILE_K / PIECE), in_row = i % (TILE_K / PIECE);
    const int left = row + in_m < product.M ? product.K - k - in_row * PIECE : 0;
    if (pieces_a % WARP == 0 || i < pieces_a) {
      copy_some<16>(stage.a + place_a(in_m, in_row),
                    product.A + static_cast<long long>(row + in_m) * product.lda + k + in_row * PIECE,
                    left * 2);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    few_rows_mma(const Number* __restrict__ A, const Number* __restrict__ B, Number* __restrict__ D, int M,
                 int N, int K, int lda, int ldb, int ldd, float alpha, int k_tiles) {
  extern __shared__ __align__(128) unsigned char memory[];
  WarpMemory* const warps = reinterpret_cast<WarpMemory*>(memory);
  WarpMemory& own = warps[threadIdx.x / WARP];
  const int first_row = blockIdx.y * TILE_M, first_column = blockIdx.z * TILE_N;
  const Product product = {A, B, M, N, K, lda, ldb};

  Sums sums = {};
  stream_tiles(
      own.stages, k_tiles,
      [&](Stage& stage, int k_tile) { copy_tile(stage, product, first_row, first_column, k_tile * TILE_K); },
      [&](const Stage& stage) { multiply(sums, stage); });
  leave(sums, own.sums);
  add_up<TILE_M * TILE_N, WARPS, THREADS>(
      [&](int i, int element) -> float& { return warps[i].sums[element]; },
      [&](int element, float sum) {
        const int row = first_row + element / TILE_N, column = first_column + element % TILE_N;
        if (row < M && column < N) D[static_cast<long long>(row) * ldd + column] = Number(alpha * sum);
      });
}
