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
  int next;  // position of the block's next segment
};

/// The block's segments by position. Nothing else is remembered between them: whatever is, would lie in
/// registers through the main loop, which has none to spare.
class Schedule {
 public:
  __device__ explicit Schedule(const Division& division) : m_division(division) {}

  /// The position of the block's first segment.
  __device__ int begin() const { return STREAM_K ? start_of(part()) : 0; }

  /// The segment at `position`; false behind the last one.
  __device__ bool get(int position, Segment& segment) const {
    if constexpr (STREAM_K) {
      return of_stream(position, segment);
    } else {
      return the_only_one(position, segment);
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
  __device__ bool the_only_one(int position, Segment& segment) const {
    const int row = (blockIdx.z << m_division.band_bits) + (blockIdx.x & ((1 << m_division.band_bits) - 1));
    segment.row = row * TILE_M;
    segment.column = blockIdx.y * TILE_N;
    segment.tile = row * m_division.columns + blockIdx.y;
    segment.first = start_of(part());
    segment.count = start_of(part() + 1) - segment.first;
    segment.next = 1;
    return position == 0 && row < m_division.rows;
  }

  /// Positions are k-tiles up to the end of the block's share, and then whole tiles.
  __device__ bool of_stream(int position, Segment& segment) const {
    const int k_tiles = m_division.k_tiles;
    const int end = start_of(part() + 1);
    if (position < end) {
      segment.tile = quotient(position, k_tiles);
      segment.first = position - segment.tile * k_tiles;
      segment.count = smaller(k_tiles - segment.first, end - position);
      segment.next = position + segment.count;
    } else {
      segment.tile = m_division.stream_tiles + part() + (position - end) * gridDim.x;
      if (segment.tile >= m_division.rows * m_division.columns) return false;
      segment.first = 0;
      segment.count = k_tiles;
      segment.next = position + 1;
    }
    place(segment);
    return true;
  }

  /// Tiles are numbered down the columns of a band, band after band.
  __device__ void place(Segment& segment) const {
    const int band = quotient(segment.tile, m_division.columns << m_division.band_bits);
    const int first_row = band << m_division.band_bits;
    const int in_band = segment.tile - first_row * m_division.columns;
    const int rows = smaller(m_division.rows - first_row, 1 << m_division.band_bits);
    const int column = quotient(in_band, rows);
    segment.row = (first_row + in_band - column * rows) * TILE_M;
    segment.column = column * TILE_N;
  }

  const Division& m_division;
};
