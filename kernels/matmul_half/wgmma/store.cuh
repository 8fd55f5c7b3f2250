#pragma once
// D = alpha * sums, rounded once, through shared memory, by the copy engine. A warp stores its own 16 rows of
// each block and waits for no other; transposed, these are columns, and the four of a warpgroup store 64
// together. What is outside of D is not written. The engine writes whole groups of eight columns only, so its
// map ends before the last N % 8 of them, which the warp's lanes store.

#include <cuda.h>

#include "wgmma/barrier.cuh"
#include "wgmma/result.cuh"

__device__ inline unsigned pair(float first, float second, __nv_bfloat16) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(first, second);
  return reinterpret_cast<const unsigned&>(both);
}
__device__ inline unsigned pair(float first, float second, __half) {
  const __half2 both = __floats2half2_rn(first, second);
  return reinterpret_cast<const unsigned&>(both);
}

/// The threads that fill a buffer together.
__device__ inline void store_barrier() {
  if constexpr (STORE_WARPS == 1) {
    __syncwarp();
  } else {
    asm volatile("bar.sync %0, %1;" ::"r"(threadIdx.x / GROUP), "n"(GROUP) : "memory");
  }
}

class Store {
 public:
  __device__ Store(const CUtensorMap& map, const Result& result, unsigned char (*buffers)[STORE_BYTES])
      : m_map(map), m_result(result), m_buffers(buffers), m_thread(threadIdx.x % (STORE_WARPS * WARP)) {}

  __device__ const Result& result() const { return m_result; }

  /// `row`, `column`: where the sums of the warpgroup begin; rows from `end` on are another product's.
  __device__ void store(const Sums& sums, int row, int column, int end) {
    static_assert(!BETA, "a C is added to floats, see store_floats.cuh");
    if constexpr (!TRANSPOSED) row += threadIdx.x % GROUP / WARP * STORE_M;
#pragma unroll
    for (int block = 0; block < BLOCKS; ++block) {
#pragma unroll
      for (int wide = 0; wide < WIDE; wide += TRANSPOSED ? STORE_M : STORE_N) {
        store_part(sums.of[block] + wide / 2, row + (TRANSPOSED ? wide : block * 64),
                   column + (TRANSPOSED ? block * 64 : wide), end);
      }
    }
  }

  /// Shared memory must not go before it has been read.
  __device__ void finish() const {
    if (m_thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }

 private:
  __device__ void store_part(const float* sum, int row, int column, int end) {
    const unsigned buffer = shared_address(m_buffers[m_next]);
    const int whole = m_result.N / 8 * 8, left = whole - column;  // columns for the copy engine
    if (m_thread == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STORES - 1) : "memory");
    store_barrier();
    fill(buffer, sum);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    store_barrier();
    if (m_thread == 0) {
      if (left > 0 && (!GROUPED || row + STORE_M <= end)) {
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m_map),
            "r"(column), "r"(row), "r"(buffer)
            : "memory");
      }
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");  // a group for each buffer, if an empty one
    }
    if (GROUPED && row + STORE_M > end) store_rows(row, column, end);
    if (whole < m_result.N && left >= 0 && left < STORE_N) store_rest(row, whole, left / 8, end);
    m_next = m_next + 1 == STORES ? 0 : m_next + 1;
  }

  /// Of a group of eight columns, in bytes from the begin of the buffer.
  __device__ static int place(int row, int eight) {
    return STORE_N == STORE_ROW ? row * ROW_BYTES + ((eight ^ row % 8) << 4) : row * STORE_N * 2 + eight * 16;
  }

  /// The rows before `end`: the copy engine knows nothing of groups.
  __device__ void store_rows(int row, int column, int end) const {
    constexpr int eights = STORE_N / 8;
    for (int i = m_thread; i < (end - row) * eights; i += STORE_WARPS * WARP) {
      const int to = column + i % eights * 8;
      if (to + 8 > m_result.N) continue;
      *reinterpret_cast<uint4*>(m_result.D + static_cast<size_t>(row + i / eights) * m_result.ldd + to) =
          *reinterpret_cast<const uint4*>(m_buffers[m_next] + place(i / eights, i % eights));
    }
  }

  /// The columns from `column` on, less than eight, which are a group of the buffer.
  __device__ void store_rest(int row, int column, int eight, int end) const {
    const int in_eight = m_thread % 8;
    if (column + in_eight >= m_result.N) return;
    for (int i = m_thread / 8; i < STORE_M && row + i < end; i += STORE_WARPS * WARP / 8) {
      m_result.D[static_cast<size_t>(row + i) * m_result.ldd + column + in_eight] =
          reinterpret_cast<const Output*>(m_buffers[m_next] + place(i, eight))[in_eight];
    }
  }

  /// Of eight columns of a wgmma's sums a lane has two in row lane / 4, and two in the row eight below: what
  /// stmatrix takes, four squares of eight by eight at a time. Each lane says where one of their rows goes,
  /// or, transposed, one of their columns.
  __device__ void fill(unsigned buffer, const float* sum) const {
    constexpr int eights = (TRANSPOSED ? STORE_M : STORE_N) / 8;
    const int lane = threadIdx.x % WARP, lower = lane / 8 % 2, next = lane / 16;
    const int warp = threadIdx.x % GROUP / WARP;
#pragma unroll
    for (int i = 0; i < eights; i += 2) {
      const unsigned to = buffer + (TRANSPOSED ? place((i + next) * 8 + lane % 8, warp * 2 + lower)
                                               : place(lane % 16, i + next));
      const float* const of = sum + i * 4;
      if (i + 1 < eights) {
        store_squares(to, two(of), two(of + 2), two(of + 4), two(of + 6));
      } else {
        store_squares(to, two(of), two(of + 2));
      }
    }
  }

#if LONG_SIDE == LONG_SIDE_columns
#define SQUARES ".trans.shared.b16"
#else
#define SQUARES ".shared.b16"
#endif
  __device__ static void store_squares(unsigned to, unsigned a, unsigned b, unsigned c, unsigned d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4" SQUARES " [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b),
                 "r"(c), "r"(d)
                 : "memory");
  }
  __device__ static void store_squares(unsigned to, unsigned a, unsigned b) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2" SQUARES " [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b)
                 : "memory");
  }

  __device__ unsigned two(const float* sum) const {
    return pair(m_result.alpha * sum[0], m_result.alpha * sum[1], Output());
  }

  const CUtensorMap& m_map;
  const Result& m_result;
  unsigned char (*m_buffers)[STORE_BYTES];
  int m_thread;
  int m_next = 0;
};
