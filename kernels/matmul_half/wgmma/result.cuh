#pragma once
// Where sums go, and what threads do with floats of C and D by themselves: eight lanes have neighbours of 32
// bytes in a row, so nothing is gained by shared memory.

#include "wgmma/multiply.cuh"

struct Result {
  Output* D;
  int M, N, ldd;
  float alpha;
  const Output* C;  // lies as D does
  float beta;
};

struct alignas(2 * sizeof(Output)) OutputPair {
  Output of[2];
};

/// Some of a thread's sums, in pairs that are beside each other or, transposed, one above the other.
struct Chunk {
  static constexpr int PAIRS = 16;  // whose C is on its way at a time
  float* sums;
  size_t at;    // where the first one's place in D is
  int rows;     // left, from there on
  int columns;  // left, beside it

  __device__ static int below(int i) { return TRANSPOSED ? i / 4 * 8 + i % 2 : i / 2 % 2 * 8; }
  __device__ static int beside(int i) { return TRANSPOSED ? i / 2 % 2 * 8 : i / 4 * 8 + i % 2; }
  __device__ bool has(int i) const { return below(i) < rows && beside(i) < columns; }
  __device__ size_t place(int i, int ld) const { return at + static_cast<size_t>(below(i)) * ld + beside(i); }
};

/// Calls use(chunk) for all sums of the warpgroup, which begin at `row`, `column` of D.
template <typename Use>
__device__ inline void for_each_chunk(Sums& sums, const Result& result, int row, int column, Use use) {
  const int lane = threadIdx.x % WARP;
  const int along = threadIdx.x % GROUP / WARP * 16 + lane / 4, across = lane % 4 * 2;
  row += TRANSPOSED ? across : along;
  column += TRANSPOSED ? along : across;
#pragma unroll
  for (int block = 0; block < BLOCKS; ++block) {
#pragma unroll
    for (int i = 0; i < WIDE / 4; i += Chunk::PAIRS) {
      const int to_row = row + (TRANSPOSED ? i / 2 * 8 : block * 64);
      const int to_column = column + (TRANSPOSED ? block * 64 : i / 2 * 8);
      use(Chunk{sums.of[block] + 2 * i, static_cast<size_t>(to_row) * result.ldd + to_column,
                result.M - to_row, result.N - to_column});
      asm volatile("" ::: "memory");
    }
  }
}

/// sums = alpha * sums + beta * C
__device__ inline void add_c(const Chunk& chunk, const Result& result) {
  float c[2 * Chunk::PAIRS];
#pragma unroll
  for (int i = 0; i < 2 * Chunk::PAIRS; i += 2) {
    const Output* const from = result.C + chunk.place(i, result.ldd);
    OutputPair pair = {};
    if (!TRANSPOSED) {
      if (chunk.has(i)) pair = *reinterpret_cast<const OutputPair*>(from);  // rows are padded to eight
    } else {
      if (chunk.has(i)) pair.of[0] = from[0];
      if (chunk.has(i + 1)) pair.of[1] = from[result.ldd];
    }
    c[i] = static_cast<float>(pair.of[0]);
    c[i + 1] = static_cast<float>(pair.of[1]);
  }
#pragma unroll
  for (int i = 0; i < 2 * Chunk::PAIRS; ++i) {
    chunk.sums[i] = result.alpha * chunk.sums[i] + result.beta * c[i];
  }
}
