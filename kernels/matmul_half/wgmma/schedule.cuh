#pragma once
// Which tiles a block computes. A cluster takes CLUSTER_M x CLUSTER_N tiles that lie together; as many
// clusters as the GPU holds take such squares in turn. Squares are numbered down the columns of a band of
// rows: those that are computed at a time then read few rows of A and few columns of B, which the L2 cache
// holds.

#include "product/groups.cuh"
#include "wgmma/shape.cuh"

struct Division {
  int rows;     // of squares
  int columns;  // of squares
  int band;     // rows of squares in a band
};

struct Place {
  int row;  // of D, where the tile begins
  int column;
  int end;  // behind the last row of its product
  int group;
};

class Schedule {
 public:
  __device__ Schedule(const Division& division, const Groups& groups)
      : m_division(division),
        m_groups(groups),
        m_cursor(groups),
        m_square(blockIdx.x / CLUSTER),
        m_rank(blockIdx.x % SQUARE) {}

  __device__ bool get(Place& place) {
    int squares_above = 0, rows_above = 0, rows_of_squares = m_division.rows;
    place.end = m_groups.rows;
    place.group = 0;
    if constexpr (GROUPED) {
      if (!m_cursor.find(m_square, m_division.columns, TILE_M)) return false;
      squares_above = m_cursor.first_tile();
      rows_above = m_cursor.begin();
      place.end = m_cursor.end();
      place.group = m_cursor.group();
      rows_of_squares = (place.end - rows_above + TILE_M - 1) / TILE_M;
    } else if (m_square >= m_division.rows * m_division.columns) {
      return false;
    }
    const unsigned square = m_square - squares_above;
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

  __device__ void advance(int count) { m_square += count * (gridDim.x / CLUSTER); }

 private:
  const Division& m_division;
  const Groups& m_groups;
  GroupCursor m_cursor;
  int m_square;
  int m_rank;
};
