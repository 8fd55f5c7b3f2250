#pragma once
// Which tiles a block computes. A cluster takes CLUSTER_M x CLUSTER_N tiles that lie together; as many
// clusters as the GPU holds take such squares in turn. Squares are numbered down the columns of a band of
// rows: those that are computed at a time then read few rows of A and few columns of B, which the L2 cache
// holds.
//
// Blocks may share a tile, each with a part of its k-tiles: CLUSTER_K blocks of a cluster, or with SPLIT_REST
// any blocks: whole tiles fill all waves but the last, and the tiles that are left are divided so that they
// fill it. Blocks with the same part go through it together, as they go through whole tiles: what one asks of
// the L2 cache then serves its neighbours.

#include "product/groups.cuh"
#include "wgmma/shape.cuh"

struct Division {
  int rows;     // of squares
  int columns;  // of squares
  int band;     // rows of squares in a band
  int k_tiles;
  int whole_squares;  // with SPLIT_REST: how many are not divided ...
  int parts;          // ... into how many parts the others are ...
  int part_k_tiles;   // ... and how many k-tiles a part has; the last one may have less
};

struct Place {
  int row;  // of D, where the tile begins
  int column;
  int end;  // behind the last row of its product
  int group;
  int square;   // its number
  int part;     // of its k-tiles, that this block has
  int first_k;  // the first of them
  int k_tiles;  // how many
};

class Schedule {
 public:
  __device__ Schedule(const Division& division, const Groups& groups)
      : m_division(division),
        m_groups(groups),
        m_cursor(groups),
        m_square(blockIdx.x / CLUSTER),
        m_rank(blockIdx.x % SQUARE) {}

  /// The block's next tile; false behind the last one.
  __device__ bool get(Place& place) { return get_whole(place) || SPLIT_REST && get_part(place); }

  /// The same, of those that are not divided.
  __device__ bool get_whole(Place& place) {
    if (SPLIT_REST && m_square >= m_division.whole_squares) return false;
    place.square = m_square;
    place.part = blockIdx.x % CLUSTER / SQUARE;
    place.first_k = place.part * m_division.k_tiles / CLUSTER_K;
    place.k_tiles = (place.part + 1) * m_division.k_tiles / CLUSTER_K - place.first_k;
    return find(place);
  }

  /// The block's part of a divided tile. Blocks start in the order of their index. The first part, which
  /// waits for the others, is with the last.
  __device__ bool get_part(Place& place) {
    const int left = m_division.rows * m_division.columns - m_division.whole_squares;
    const unsigned in_rest = m_square - m_division.whole_squares;
    if (in_rest >= min(gridDim.x, left * m_division.parts)) return false;
    place.square = m_division.whole_squares + in_rest % left;
    place.part = m_division.parts - 1 - in_rest / left;
    place.first_k = place.part * m_division.part_k_tiles;
    place.k_tiles = min(m_division.part_k_tiles, m_division.k_tiles - place.first_k);
    return find(place);
  }

  __device__ const Division& division() const { return m_division; }

  __device__ void advance() { m_square += gridDim.x / CLUSTER; }

 private:
  __device__ bool find(Place& place) {
    int squares_above = 0, rows_above = 0, rows_of_squares = m_division.rows;
    place.end = m_groups.rows;
    place.group = 0;
    if constexpr (GROUPED) {
      if (!m_cursor.find(place.square, m_division.columns, TILE_M)) return false;
      squares_above = m_cursor.first_tile();
      rows_above = m_cursor.begin();
      place.end = m_cursor.end();
      place.group = m_cursor.group();
      rows_of_squares = (place.end - rows_above + TILE_M - 1) / TILE_M;
    } else if (place.square >= m_division.rows * m_division.columns) {
      return false;
    }
    const unsigned square = place.square - squares_above;
    const unsigned band = square / (m_division.columns * m_division.band);
    const int first_row = band * m_division.band;
    const unsigned in_band = square - first_row * m_division.columns;
    const unsigned rows = min(rows_of_squares - first_row, m_division.band);
    const unsigned column = in_band / rows;
    place.row = rows_above + (first_row + (in_band - column * rows)) * CLUSTER_M * TILE_M +
                m_rank % CLUSTER_M * TILE_M;
    place.column = column * CLUSTER_N * TILE_N + m_rank / CLUSTER_M * TILE_N;
    return true;
  }

  const Division& m_division;
  const Groups& m_groups;
  GroupCursor m_cursor;
  int m_square;
  int m_rank;
};
