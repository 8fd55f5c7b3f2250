// D (M x N) = alpha * A (M x K) * B (K x N) where M is small, in half, bfloat16 or scaled FP8 with sums in
// float: reading B is what takes the time. For every GPU with mma of bfloat16, from sm_80 on.
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

/// Asks for LENGTH rows of A or columns of B that lie along k, from `from` on, 16 bytes at a time. Of them
/// `length` are there, and `k` numbers of each; the rest is filled with zeros.
template <int LENGTH>
__device__ inline void copy_along(Number* stage, const Number* from, int ld, int length, int k) {
  constexpr int pieces = TILE_K / PIECE;
  static_assert(LENGTH * pieces % WARP == 0, "all lanes copy as much");
#pragma unroll
  for (int first = 0; first < LENGTH * pieces; first += WARP) {
    const int row = (first + lane()) / pieces, piece = (first + lane()) % pieces;
    const int left = row < length ? k - piece * PIECE : 0;
    copy_some<16>(stage + place_along(row, piece), from + static_cast<long long>(row) * ld + piece * PIECE,
                  left * static_cast<int>(sizeof(Number)));
  }
}

/// The same for TILE_K rows of B that lie across k.
__device__ inline void copy_across(Number* stage, const Number* from, int ld, int length, int k) {
  constexpr int pieces = TILE_N / PIECE;
#pragma unroll
  for (int first = 0; first < TILE_K * pieces; first += WARP) {
    const int row = (first + lane()) / pieces, piece = (first + lane()) % pieces;
    copy_all<16>(stage + place_across(row, piece), from + static_cast<long long>(row) * ld + piece * PIECE,
                 piece * PIECE < length ? k : 0, row);
  }
}

__device__ inline void copy_a(Stage& stage, const Product& product, int row, int k) {
  copy_along<TILE_M>(stage.a, product.A + static_cast<long long>(row) * product.lda + k, product.lda,
                     product.M - row, product.K - k);
}

__device__ inline void copy_b(Stage& stage, const Product& product, int column, int k) {
  const int left = product.K - k, columns = product.N - column;
  if constexpr (B_ALONG_K) {
    copy_along<TILE_N>(stage.b, product.B + static_cast<long long>(column) * product.ldb + k, product.ldb,
                       columns, left);
  } else {
    copy_across(stage.b, product.B + static_cast<long long>(k) * product.ldb + column, product.ldb, columns,
                left);
  }
}

/// FP8 alone has scales: one for A and one for B, or, with `scale_stride` 1, for each row and column.
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    few_rows_mma(const Number* __restrict__ A, const Number* __restrict__ B, Output* __restrict__ D, int M,
                 int N, int K, int lda, int ldb, int ldd, float alpha, const float* __restrict__ scale_a,
                 const float* __restrict__ scale_b, int scale_stride, int k_tiles) {
  extern __shared__ __align__(128) unsigned char memory[];
  WarpMemory* const warps = reinterpret_cast<WarpMemory*>(memory);
  WarpMemory& own = warps[threadIdx.x / WARP];
  const int first_row = blockIdx.y * TILE_M, first_column = blockIdx.z * TILE_N;
  const Product product = {A, B, M, N, K, lda, ldb};

  Sums sums = {};
  stream_tiles(
      own.stages, k_tiles,
      [&](Stage& stage, int k_tile) { copy_a(stage, product, first_row, k_tile * TILE_K); },
      [&](Stage& stage, int k_tile) { copy_b(stage, product, first_column, k_tile * TILE_K); },
      [&](const Stage& stage) { multiply(sums, stage); });
  leave(sums, own.sums);
  add_up<TILE_M * TILE_N, WARPS, THREADS>(
      [&](int i, int element) -> float& { return warps[i].sums[element]; },
      [&](int element, float sum) {
        const int row = first_row + element / TILE_N, column = first_column + element % TILE_N;
        if (row >= M || column >= N) return;
        float scale = alpha;
        if (sizeof(Number) == 1) scale *= scale_a[row * scale_stride] * scale_b[column * scale_stride];
        D[static_cast<long long>(row) * ldd + column] = Output(scale * sum);
      });
}
