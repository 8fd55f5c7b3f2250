#pragma once
// D = alpha * sums, rounded once, through shared memory, by the copy engine. Each warp stores its own 16 rows of each row block
// and waits for no other. What is outside of D is not written. The engine writes whole groups of eight columns only, so its map
// ends before the last N % 8 of them, which the warp's lanes store.

#include <cuda.h>

#include "wgmma/barrier.cuh"
#include "wgmma/multiply.cuh"
#include "wgmma/schedule.cuh"

__device__ inline unsigned pair(float first, float second, __nv_bfloat16) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(first, second);
  return reinterpret_cast<const unsigned&>(both);
}
__device__ inline unsigned pair(float first, float second, __half) {
  const __half2 both = __floats2half2_rn(first, second);
  return reinterpret_cast<const unsigned&>(both);
}

struct Result {
  Number* D;
  int M, N, ldd;
  float alpha;
};

class Store {
 public:
  __device__ Store(const CUtensorMap& map, const Result& result, unsigned char (*buffers)[STORE_BYTES])
      : m_map(map), m_result(result), m_buffers(buffers), m_lane(threadIdx.x % WARP) {}

  /// `row`: the first of the warp's rows.
  __device__ void store(const Sums& sums, int row, int column) {
    const int whole = m_result.N / 8 * 8;
#pragma unroll
    for (int m = 0; m < ROW_BLOCKS; ++m) {
#pragma unroll
      for (int n = 0; n < TILE_N; n += STORE_N) {
        const unsigned buffer = shared_address(m_buffers[m_next]);
        const int left = whole - column - n;  // columns for the copy engine
        if (m_lane == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STORES - 1) : "memory");
        __syncwarp();
        fill(buffer, sums.of[m] + n / 2);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (m_lane == 0) {
          if (left > 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m_map),
                         "r"(column + n), "r"(row + m * 64), "r"(buffer)
                         : "memory");
          }
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");  // a group for each buffer, if an empty one
        }
        if (whole < m_result.N && left >= 0 && left < STORE_N) store_rest(row + m * 64, whole, left / 8);
        m_next = m_next + 1 == STORES ? 0 : m_next + 1;
      }
    }
  }

  /// Shared memory must not go before it has been read.
  __device__ void finish() const {
    if (m_lane == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }

 private:
  /// Of a group of eight columns, in bytes from the begin of the buffer.
  __device__ static int place(int row, int eight) {
    return STORE_N == ROW ? row * ROW_BYTES + ((eight ^ row % 8) << 4) : row * STORE_N * 2 + eight * 16;
  }

  /// The columns from `column` on, less than eight, which are a group of the buffer.
  __device__ void store_rest(int row, int column, int eight) const {
    const int in_eight = m_lane % 8;
    if (column + in_eight >= m_result.N) return;
    for (int i = m_lane / 8; i < STORE_ROWS && row + i < m_result.M; i += WARP / 8) {
      m_result.D[static_cast<size_t>(row + i) * m_result.ldd + column + in_eight] =
          reinterpret_cast<const Number*>(m_buffers[m_next] + place(i, eight))[in_eight];
    }
  }

  /// Of eight columns a lane has two sums in row lane / 4, and two in the row eight below: what stmatrix takes.
  __device__ void fill(unsigned buffer, const float* sum) const {
    const int row = m_lane % STORE_ROWS;
#pragma unroll
    for (int n = 0; n < STORE_N / 8; n += 2) {
      const int eight = n + m_lane / STORE_ROWS;
      const unsigned to = buffer + place(row, eight);
      const float* const of = sum + n * 4;
      const unsigned upper = two(of), lower = two(of + 2);
      if (n + 1 < STORE_N / 8) {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(upper), "r"(lower),
                     "r"(two(of + 4)), "r"(two(of + 6))
                     : "memory");
      } else {
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(upper), "r"(lower) : "memory");
      }
    }
  }

  __device__ unsigned two(const float* sum) const { return pair(m_result.alpha * sum[0], m_result.alpha * sum[1], Number()); }

  const CUtensorMap& m_map;
  const Result& m_result;
  unsigned char (*m_buffers)[STORE_BYTES];
  int m_lane;
  int m_next = 0;
};
