#pragma once
// Which part of the product a block computes.
//
//   tiles    a block has one tile, or with SPLIT_K > 1 one of as many equal runs of its k-tiles
//   stream   stream-K (Osama, Merrill, Cecka, Garland, Owens: "Stream-K: Work-centric parallel decomposition
//   for dense
//            matrix-matrix multiplication on the GPU", PPoPP 2023): as many blocks as the GPU holds at a time
//            share the k-tiles of the first `stream_tiles` tiles evenly, wherever a tile begins or ends; each
//            then takes whole tiles.

#include "sgemm/shape.cuh"

struct Problem {
  const float* A;
  const float* B;
  float* C;
  int M, N, K;
  int lda, ldb, ldc;
  float alpha;
};

/// How the work is divided; computed by the spec, so that no block has to.
struct Division {
  int rows;     // of tiles
  int columns;  // of tiles
  int k_tiles;
  int band_bits;     // blocks that run at a time have tiles in a band of 2^band_bits rows of tiles
  int parts;         // SPLIT_K
  int stream_tiles;  // tiles whose k-tiles all blocks share
  int share;         // k-tiles of a part, or of a block's share …
  int rest;          // … and how many parts or blocks have one more
};

/// A run of k-tiles of one tile of C.
struct Segment {
  int row;  // of C, where the tile begins
  int column;
  int tile;   // its number
  int first;  // k-tile
  int count;
};

/// The block's segments by number. Nothing is remembered between them: whatever is, would lie in registers
/// through the main loop, which has none to spare.
class Schedule {
 public:
  __device__ explicit Schedule(const Division& division) : m_division(division) {}

  /// Segment `number` of this block; false when it has fewer.
  __device__ bool get(int number, Segment& segment) const {
    if constexpr (STREAM_K) {
      return of_stream(number, segment);
    } else {
      return the_only_one(number, segment);
    }
  }

  /// Which part of a tile, or with stream-K which of the shares, is this block's. The first is that of the
  /// block that starts last: see reduce_parts.
  __device__ int part() const {
    return STREAM_K ? gridDim.x - 1 - blockIdx.x
                    : m_division.parts - 1 - (blockIdx.x >> m_division.band_bits);
  }

  /// The first k-tile of a part or share, counted through all k-tiles that are shared.
  __device__ int start_of(int part) const { return part * m_division.share + smaller(part, m_division.rest); }

 private:
  /// The grid is (parts x rows of a band, columns of tiles, bands): shifts, no division, before the first
  /// copy.
  __device__ bool the_only_one(int number, Segment& segment) const {
    const int row = (blockIdx.z << m_division.band_bits) + (blockIdx.x & ((1 << m_division.band_bits) - 1));
    segment.row = row * TILE_M;
    segment.column = blockIdx.y * TILE_N;
    segment.tile = row * m_division.columns + blockIdx.y;
    segment.first = start_of(part());
    segment.count = start_of(part() + 1) - segment.first;
    return number == 0 && row < m_division.rows;
  }

  __device__ bool of_stream(int number, Segment& segment) const {
    const int begin = start_of(part());
    const int end = start_of(part() + 1);
    segment.tile = begin / m_division.k_tiles + number;
    const int first_of_tile = segment.tile * m_division.k_tiles;
    if (first_of_tile < end && begin < end) {
      segment.first = larger(begin - first_of_tile, 0);
      segment.count = smaller(m_division.k_tiles, end - first_of_tile) - segment.first;
    } else {
      const int shared = begin < end ? (end - 1) / m_division.k_tiles - begin / m_division.k_tiles + 1 : 0;
      segment.tile = m_division.stream_tiles + part() + (number - shared) * gridDim.x;
      if (segment.tile >= m_division.rows * m_division.columns) return false;
      segment.first = 0;
      segment.count = m_division.k_tiles;
    }
    // Tiles are numbered down the columns of a band, band after band.
    const int band = segment.tile / (m_division.columns << m_division.band_bits);
    const int first_row = band << m_division.band_bits;
    const int in_band = segment.tile - first_row * m_division.columns;
    const int rows = smaller(m_division.rows - first_row, 1 << m_division.band_bits);
    const int column = in_band / rows;
    segment.row = (first_row + in_band - column * rows) * TILE_M;
    segment.column = column * TILE_N;
    return true;
  }

  const Division& m_division;
};
