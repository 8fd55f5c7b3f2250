#pragma once
// Global memory to shared memory, 16 bytes at a time, by asynchronous copies. Rows behind the last and k
// behind K are filled with zeros.

#include "few_rows/copy.cuh"
#include "mma/shape.cuh"

/// What a thread copies of one operand. Along k a row has TILE_K numbers, across it LENGTH.
template <bool ALONG_K, int LENGTH>
class OperandCopies {
 public:
  /// `from`: where the tile's first row (of A) or column (of B) is; `left`: how many there are from it on.
  __device__ OperandCopies(const Number* from, int ld, int left, int k) : m_ld(ld) {
    const int along = static_cast<int>(in_row()) * PIECE;
    if (ALONG_K) {
      m_from = from + static_cast<long long>(row(0)) * ld + k + along;
      for (int i = 0; i < COUNT; ++i) m_inside |= (static_cast<int>(row(i)) < left ? 1U : 0U) << i;
    } else {
      m_from = from + static_cast<long long>(k + static_cast<int>(row(0))) * ld + along;
      m_inside = along < left ? 1U : 0U;
    }
  }

  /// A part of the next k-tile, of PARTS that follow each other; `left`: of k, from the k-tile's begin on.
  template <int PARTS>
  __device__ void copy(Number* stage, int left, int part) {
    const int begin = COUNT * part / PARTS, end = COUNT * (part + 1) / PARTS;
    if (ALONG_K) {
      const int bytes = (left - static_cast<int>(in_row()) * PIECE) * static_cast<int>(sizeof(Number));
      const Number* from = m_from + begin * ROWS * m_ld;
#pragma unroll
      for (int i = begin; i < end; ++i, from += ROWS * m_ld) {
        copy_some<16>(stage + place_of<true, LENGTH>(row(i), in_row() * PIECE), from,
                      (m_inside >> i & 1U) != 0 ? bytes : 0);
      }
      if (part == PARTS - 1) m_from += TILE_K;
    } else {
      const int rows = m_inside != 0 ? left - static_cast<int>(row(0)) : 0;
#pragma unroll
      for (int i = begin; i < end; ++i, m_from += ROWS * m_ld) {
        copy_all<16>(stage + place_of<false, LENGTH>(in_row() * PIECE, row(i)), m_from, rows, i * ROWS);
      }
    }
  }

 private:
  static constexpr int PIECES = (ALONG_K ? TILE_K : LENGTH) / PIECE;  // of a row
  static constexpr int ROWS = THREADS / PIECES;                       // that threads copy at a time
  static constexpr int COUNT = (ALONG_K ? LENGTH : TILE_K) / ROWS;
  static_assert(THREADS % PIECES == 0 && COUNT * ROWS == (ALONG_K ? LENGTH : TILE_K) && COUNT <= 32,
                "each thread copies as much");

  __device__ static unsigned in_row() {
    return threadIdx.x % PIECES;
  }
  __device__ static unsigned row(unsigned i) {
    return threadIdx.x / PIECES + i * ROWS;
  }

  const Number* m_from;
  int m_ld;
  unsigned m_inside = 0;  // a bit for each row; across k, one for all
};
