#pragma once
// D = alpha * sums + beta * C in float, by threads.

#include <cuda.h>

#include "wgmma/result.cuh"

class Store {
 public:
  __device__ Store(const CUtensorMap&, const Result& result, unsigned char (*)[STORE_BYTES])
      : m_result(result) {}

  __device__ const Result& result() const { return m_result; }

  /// `row`, `column`: where the sums of the warpgroup begin.
  __device__ void store(Sums& sums, int row, int column, int) const {
    static_assert(!GROUPED, "rows of D end with it");
    static_assert(WIDE / 4 % Chunk::PAIRS == 0, "whole chunks");
    for_each_chunk(sums, m_result, row, column, [&](const Chunk& chunk) {
      if constexpr (BETA) add_c(chunk, m_result);
      const float factor = BETA ? 1 : m_result.alpha;
#pragma unroll
      for (int i = 0; i < 2 * Chunk::PAIRS; i += 2) {
        float* const to = m_result.D + chunk.place(i, m_result.ldd);
        const OutputPair pair = {factor * chunk.sums[i], factor * chunk.sums[i + 1]};
        if (!TRANSPOSED && chunk.has(i + 1)) {
          *reinterpret_cast<OutputPair*>(to) = pair;
        } else {
          if (chunk.has(i)) to[0] = pair.of[0];
          if (chunk.has(i + 1)) to[TRANSPOSED ? m_result.ldd : 1] = pair.of[1];
        }
      }
    });
  }

  __device__ void finish() const {}

 private:
  const Result& m_result;
};
