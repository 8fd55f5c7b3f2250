#pragma once
// Which part of the product a block computes.
//
//   tiles   whole tiles, one after the other
//   split   SPLIT_K times as many blocks as tiles share all k-tiles evenly
//   stream  stream-K (Osama, Merrill, Cecka, Garland, Owens, PPoPP 2023): as many blocks as the GPU holds
//           share the k-tiles of the first `stream_tiles` tiles evenly, and then take whole tiles

#include "mma/shape.cuh"
#include "product/groups.cuh"

/// How the work is divided; computed by the spec.
struct Division {
  int rows;     // of tiles
  int columns;  // of tiles
  int band;     // blocks that run at a time have tiles in a band of so many rows of tiles
  int k_tiles;
  int stream_tiles;  // tiles whose k-tiles are shared …
  int share;         // … so many by each block …
  int rest;          // … and by so many blocks one more
};

/// A run of k-tiles of one tile of D.
struct Segment {
  int row;  // of D, where the tile begins
  int end;  // the row behind the group's last
  int column;
  int group;
  int tile;   // its number
  int first;  // k-tile
  int count;
  int next;  // position of the block's next segment
};

/// The block's segments by position.
class Schedule {
 public:
  __device__ Schedule(const Division& division, const Groups& groups)
      : m_division(division), m_groups(groups), m_cursor(groups) {}

  __device__ int begin() const { return SHARED_TILES ? start_of(part()) : 0; }

  /// The segment at `position`; false behind the last one.
  __device__ bool get(int position, Segment& segment) {
    const int end = SHARED_TILES ? start_of(part() + 1) : 0;
    if (SHARED_TILES && position < end) {
      segment.tile = position / m_division.k_tiles;
      segment.first = position - segment.tile * m_division.k_tiles;
      segment.count = min(m_division.k_tiles - segment.first, end - position);
      segment.next = position + segment.count;
    } else {
      segment.tile = (SHARED_TILES ? m_division.stream_tiles : 0) + part() + (position - end) * gridDim.x;
      segment.first = 0;
      segment.count = m_division.k_tiles;
      segment.next = position + 1;
    }
    return place(segment);
  }

  /// Which of the shares is this block's. The first is that of the block that starts last: see parts.cuh.
  __device__ int part() const { return SHARED_TILES ? gridDim.x - 1 - blockIdx.x : blockIdx.x; }

  /// The first k-tile of a share, counted through all k-tiles that are shared.
  __device__ int start_of(int part) const { return part * m_division.share + min(part, m_division.rest); }

 private:
  /// Tiles are numbered down the columns of a band, band after band, group after group.
  __device__ bool place(Segment& segment) {
    int rows = m_division.rows, tile = segment.tile, first_row = 0;
    segment.group = 0;
    segment.end = m_groups.rows;
    if (GROUPED) {
      if (!m_cursor.find(tile, m_division.columns, TILE_M)) return false;
      segment.group = m_cursor.group();
      segment.end = m_cursor.end();
      first_row = m_cursor.begin();
      rows = (segment.end - first_row + TILE_M - 1) / TILE_M;
      tile -= m_cursor.first_tile();
    } else if (tile >= rows * m_division.columns) {
      return false;
    }
    const int band = tile / (m_division.columns * m_division.band) * m_division.band;
    const int in_band = tile - band * m_division.columns;
    const int rows_of_band = min(rows - band, m_division.band);
    const int column = in_band / rows_of_band;
    segment.row = first_row + (band + in_band - column * rows_of_band) * TILE_M;
    segment.column = column * TILE_N;
    return true;
  }

  const Division& m_division;
  const Groups& m_groups;
  GroupCursor m_cursor;
};
