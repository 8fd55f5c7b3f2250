// C (M x N) = alpha * A (M x K) * B (K x N) where M is small: reading B is what takes the time.
//
// Each warp streams by itself. It has TILE_M rows of C, TILE_N columns, and every WARPS-th k-tile of its
// block. A lane copies the elements of B that it multiplies, and no others, so no barrier stands between a
// copy and its use; A is shared by the lanes of a warp. At the end the sums of warps are added up in shared
// memory, then those of the blocks of a cluster, which share a tile's k, in a fixed order: the same bits each
// time.
// docs/gemm.md tells what each choice is worth.
#include "few_rows/add_up.cuh"
#include "few_rows/shape.cuh"
#include "few_rows/stream.cuh"

struct Product {
  const float* A;
  const float* B;
  int M, N, K, lda, ldb;
};

class Copies {
 public:
  __device__ Copies(const Product& product, int row, int column)
      : m_product(product), m_row(row), m_column(column + lane_column()) {}

  /// Rows below M and k beyond K are filled with zeros.
  __device__ void copy_a(Stage& stage, int k) const {
    constexpr int pieces = TILE_M * TILE_K / VECTOR_FLOATS;
#pragma unroll
    for (int first = 0; first < pieces; first += WARP) {
      const int piece = first + lane();
      const int row = piece / (TILE_K / VECTOR_FLOATS),
                in_row = piece % (TILE_K / VECTOR_FLOATS) * VECTOR_FLOATS;
      const int left = m_row + row < m_product.M ? m_product.K - k - in_row : 0;
      if (pieces % WARP == 0 || piece < pieces) {
        copy_some<VECTOR>(stage.a[row] + in_row,
                          m_product.A + static_cast<long long>(m_row + row) * m_product.lda + k + in_row,
                          left * 4);
      }
    }
  }

  __device__ void copy_b(Stage& stage, int k) const {
    const float* from = m_product.B + static_cast<long long>(k + slice() * QUAD) * m_product.ldb + m_column;
    const int left_k = m_product.K - k - slice() * QUAD;
#pragma unroll
    for (int row = 0; row < STEPS * QUAD; ++row) {
      const int in_tile = row / QUAD * SLICES * QUAD + row % QUAD;
      float* const to = stage.b[in_tile + slice() * QUAD] + lane_column();
#pragma unroll
      for (int quad = 0; quad < QUADS_N; ++quad) {
        const int beside = quad * LANES_N * QUAD;
        const int left = m_column + beside < m_product.N ? left_k : 0;
#pragma unroll
        for (int j = 0; j < QUAD; j += VECTOR_FLOATS) {
          const bool inside = VECTOR_FLOATS == QUAD || m_column + beside + j < m_product.N;
          copy_all<VECTOR>(to + beside + j,
                           from + static_cast<long long>(in_tile) * m_product.ldb + beside + j,
                           inside ? left : 0, in_tile);
        }
      }
    }
  }

 private:
  const Product& m_product;
  int m_row, m_column;
};

__device__ inline void multiply(float (&sums)[TILE_M][THREAD_N], const Stage& stage) {
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
    const int k = (step * SLICES + slice()) * QUAD;
    float b[QUAD][THREAD_N];
#pragma unroll
    for (int i = 0; i < QUAD; ++i) {
#pragma unroll
      for (int quad = 0; quad < QUADS_N; ++quad) {
        load_quad(b[i] + quad * QUAD, stage.b[k + i] + lane_column() + quad * LANES_N * QUAD);
      }
    }
#pragma unroll
    for (int row = 0; row < TILE_M; ++row) {
      float a[QUAD];
      load_quad(a, stage.a[row] + k);
#pragma unroll
      for (int i = 0; i < QUAD; ++i) {
#pragma unroll
        for (int j = 0; j < THREAD_N; ++j) sums[row][j] = fmaf(a[i], b[i][j], sums[row][j]);
      }
    }
  }
}

/// Leaves a warp's sums where its stages were, which all its lanes have read.
__device__ inline void leave_sums(const float (&sums)[TILE_M][THREAD_N], WarpMemory& memory) {
#pragma unroll
  for (int row = 0; row < TILE_M; ++row) {
#pragma unroll
    for (int quad = 0; quad < QUADS_N; ++quad) {
      store_quad(memory.sums[slice()] + row * TILE_N + lane_column() + quad * LANES_N * QUAD,
                 sums[row] + quad * QUAD);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    few_rows(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
             int K, int lda, int ldb, int ldc, float alpha, int k_tiles) {
  extern __shared__ __align__(16) float memory[];
  WarpMemory* const warps = reinterpret_cast<WarpMemory*>(memory);
  const int warp = threadIdx.x / WARP;
  const int first_row = blockIdx.y * TILE_M, first_column = blockIdx.z * TILE_N;
  const Product product = {A, B, M, N, K, lda, ldb};
  const Copies copies(product, first_row, first_column);
  WarpMemory& own = warps[warp];

  float sums[TILE_M][THREAD_N] = {};
  stream_tiles(
      own.stages, k_tiles, [&](Stage& stage, int k_tile) { copies.copy_a(stage, k_tile * TILE_K); },
      [&](Stage& stage, int k_tile) { copies.copy_b(stage, k_tile * TILE_K); },
      [&](const Stage& stage) { multiply(sums, stage); });
  leave_sums(sums, own);
  add_up<ELEMENTS, WARPS * SLICES, THREADS>(
      [&](int i, int element) -> float& { return warps[i / SLICES].sums[i % SLICES][element]; },
      [&](int element, float sum) {
        const int row = first_row + element / TILE_N, column = first_column + element % TILE_N;
        if (row < M && column < N) C[static_cast<long long>(row) * ldc + column] = alpha * sum;
      });
}
