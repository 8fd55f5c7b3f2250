#pragma once
// Shared memory to fragments (ldmatrix), fragments to sums (mma). On the CPU device a lane reads all that its
// own sums need.

#include "mma/shape.cuh"
#include "product/multiplied.cuh"

struct Sums {
  float of[BLOCKS_M][BLOCKS_N][4];
};

#if defined(__CUDA_ARCH__)

/// What a lane holds of a step's 32 bytes of k.
struct Fragments {
  unsigned a[BLOCKS_M][4];
  unsigned b[BLOCKS_N / 2][4];  // of two blocks beside each other
};

/// Four squares of eight by eight, each lane with the address of one of their rows.
template <bool TURN>
__device__ inline void load_squares(unsigned (&to)[4], const Number* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (TURN) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
  }
}

/// Squares of A: rows 0 and 8, then the same of the next 16 bytes of k. Of B: both pieces of k, then the next
/// eight columns. Where they lie the other way they are turned.
__device__ inline void load(Fragments& fragments, const Stage& stage, int step) {
  const unsigned in_square = lane() % 8, second = lane() / 8 % 2 * 8 + in_square, last = lane() / 16 * 8;
#pragma unroll
  for (unsigned m = 0; m < BLOCKS_M; ++m) {
    const unsigned row = warp_row() + m * 16, k = step * STEP_K;
    const unsigned place = A_ALONG_K
                               ? place_of<true, TILE_M>(row + second, k + lane() / 16 * PIECE)
                               : place_of<false, TILE_M>(row + lane() / 8 % 2 * 8, k + last + in_square);
    load_squares<!A_ALONG_K>(fragments.a[m], stage.a + place);
  }
#pragma unroll
  for (unsigned n = 0; n < BLOCKS_N / 2; ++n) {
    const unsigned column = warp_column() + n * 16, k = step * STEP_K;
    const unsigned place = B_ALONG_K
                               ? place_of<true, TILE_N>(column + last + in_square, k + lane() / 8 % 2 * PIECE)
                               : place_of<false, TILE_N>(column + last, k + second);
    load_squares<!B_ALONG_K>(fragments.b[n], stage.b + place);
  }
}

#define MMA(number)                                                          \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." number "." number             \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])               \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                    __nv_bfloat16) {
  MMA("bf16");
}
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2], __half) {
  MMA("f16");
}

/// The operands of one instruction: all of these squares, or of FP8, which becomes wider, one half of them.
__device__ inline void take_a(unsigned (&to)[4], const unsigned (&squares)[4], int part) {
  if constexpr (WIDER == 2) {
    to_half(squares[part * 2], to[0], to[2]);
    to_half(squares[part * 2 + 1], to[1], to[3]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = squares[i];
  }
}
__device__ inline void take_b(unsigned (&to)[2], const unsigned* squares, int part) {
  if constexpr (WIDER == 2) {
    to_half(squares[part], to[0], to[1]);
  } else {
    to[0] = squares[0];
    to[1] = squares[1];
  }
}

/// Every other column of blocks upwards, so that neighbours share an operand.
__device__ inline void multiply(Sums& sums, const Fragments& fragments) {
#pragma unroll
  for (int part = 0; part < WIDER; ++part) {
    unsigned a[BLOCKS_M][4];
#pragma unroll
    for (int m = 0; m < BLOCKS_M; ++m) take_a(a[m], fragments.a[m], part);
#pragma unroll
    for (int n = 0; n < BLOCKS_N; ++n) {
      unsigned b[2];
      take_b(b, fragments.b[n / 2] + n % 2 * 2, part);
#pragma unroll
      for (int i = 0; i < BLOCKS_M; ++i) {
        const int m = n % 2 == 0 ? i : BLOCKS_M - 1 - i;
        multiply_add(sums.of[m][n], a[m], b, Multiplied());
      }
    }
  }
}

#else

struct Fragments {
  float a[BLOCKS_M][2][STEP_K];  // rows lane / 4 and 8 below
  float b[BLOCKS_N][2][STEP_K];  // columns lane % 4 * 2 and the next
};

__device__ inline void load(Fragments& fragments, const Stage& stage, int step) {
  for (unsigned i = 0; i < STEP_K; ++i) {
    const unsigned k = step * STEP_K + i;
    for (unsigned m = 0; m < BLOCKS_M * 2; ++m) {
      const unsigned row = warp_row() + m * 8 + lane() / 4;
      const unsigned within = (A_ALONG_K ? k : row) % PIECE;
      fragments.a[m / 2][m % 2][i] =
          static_cast<float>(stage.a[place_of<A_ALONG_K, TILE_M>(row, k) + within]);
    }
    for (unsigned n = 0; n < BLOCKS_N * 2; ++n) {
      const unsigned column = warp_column() + n / 2 * 8 + lane() % 4 * 2 + n % 2;
      const unsigned within = (B_ALONG_K ? k : column) % PIECE;
      fragments.b[n / 2][n % 2][i] =
          static_cast<float>(stage.b[place_of<B_ALONG_K, TILE_N>(column, k) + within]);
    }
  }
}

__device__ inline void multiply(Sums& sums, const Fragments& fragments) {
  for (int m = 0; m < BLOCKS_M; ++m) {
    for (int n = 0; n < BLOCKS_N; ++n) {
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < STEP_K; ++k) {
          sums.of[m][n][i] += fragments.a[m][i / 2][k] * fragments.b[n][i % 2][k];
        }
      }
    }
  }
}

#endif
