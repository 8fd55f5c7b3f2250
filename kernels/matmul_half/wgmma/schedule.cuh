#pragma once
// Which tiles a block computes. A cluster takes CLUSTER_M x CLUSTER_N tiles that lie together; as many
// clusters as the GPU holds take such squares in turn. Squares are numbered down the columns of a band of
// rows: those that are computed at a time then read few rows of A and few columns of B, which the L2 cache
// holds.

#include "wgmma/shape.cuh"

struct Division {
  int rows;     // of squares
  int columns;  // of squares
  int band;     // rows of squares in a band
};

struct Place {
  int row;  // of D, where the tile begins
  int column;
};

class Schedule {
 public:
  __device__ explicit Schedule(const Division& division)
      : m_division(division), m_square(blockIdx.x / CLUSTER), m_rank(blockIdx.x % SQUARE) {}

  __device__ bool get(Place& place) const {
    if (m_square >= m_division.rows * m_division.columns) return false;
    const unsigned band = m_square / (m_division.columns * m_division.band);
    const int first_row = band * m_division.band;
    const unsigned in_band = m_square - first_row * m_division.columns;
    const unsigned rows = min(m_division.rows - first_row, m_division.band);
    const unsigned column = in_band / rows;
    place.row = (first_row + (in_band - column * rows)) * CLUSTER_M * TILE_M + m_rank % CLUSTER_M * TILE_M;
    place.column = column * CLUSTER_N * TILE_N + m_rank / CLUSTER_M * TILE_N;
    return true;
  }

  __device__ void advance(int count) { m_square += count * (gridDim.x / CLUSTER); }

 private:
  const Division& m_division;
  int m_square;
  int m_rank;
};
