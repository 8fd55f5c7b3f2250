#pragma once
// Several products in a launch. Rows of A and of D of all groups are stacked, each group has a B of its own:
// a batch, where all groups have as many rows, or what experts of a mixture get, where `starts` says which.

#include "product/variant.cuh"

struct Groups {
  int count;          // 1, where there is one product
  const int* starts;  // the first row of each group, and behind it the last; null: each has `rows`
  int rows;
};

/// Goes through the tiles of all groups, group after group; only forward.
class GroupCursor {
 public:
  __device__ explicit GroupCursor(const Groups& groups)
      : m_groups(groups), m_end(groups.starts == nullptr ? groups.rows : groups.starts[1]) {}

  /// Finds the group of a tile, where one has `columns` tiles beside each other and `tile_rows` rows each.
  /// False behind the last one.
  __device__ bool find(int tile, int columns, int tile_rows) {
    if (m_groups.starts == nullptr) {
      const int tiles = (m_groups.rows + tile_rows - 1) / tile_rows * columns;
      m_group = tile / tiles;
      m_first = m_group * tiles;
      m_begin = m_group * m_groups.rows;
      m_end = m_begin + m_groups.rows;
      return m_group < m_groups.count;
    }
    for (;;) {
      const int tiles = (m_end - m_begin + tile_rows - 1) / tile_rows * columns;
      if (tile < m_first + tiles) return true;
      if (m_group + 1 >= m_groups.count) return false;
      m_first += tiles;
      ++m_group;
      m_begin = m_end;
      m_end = m_groups.starts[m_group + 1];
    }
  }

  __device__ int group() const { return m_group; }
  __device__ int first_tile() const { return m_first; }
  __device__ int begin() const { return m_begin; }  ///< its first row
  __device__ int end() const { return m_end; }

 private:
  const Groups& m_groups;
  int m_group = 0, m_first = 0, m_begin = 0, m_end;
};
