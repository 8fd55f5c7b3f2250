#pragma once
// Global memory to shared memory: the copies of a k-tile, and what happens to them at edges.
//
// Rows of A beyond M and columns of B beyond N: the copy is taken from the last row of A, or fills zeros;
// what comes of it is never stored. K: the k-tiles of a tile of C end with K, so that the first of them may
// begin before 0; copies from before fill zeros. A copy thus costs one comparison beside itself, the same
// inside and at an edge.

#include "sgemm/async_copy.cuh"
#include "sgemm/schedule.cuh"
#include "sgemm/synchronise.cuh"

/// Threads that copy neighbouring pieces, and how often they move on until a rectangle of `rows` rows of
/// `pieces` pieces is complete. `lanes` of them are beside each other in a row.
template <int ROWS, int PIECES, int LANES>
struct CopyGrid {
  static_assert(PIECES % LANES == 0 && SLICE_THREADS % LANES == 0, "rows of threads fill rows of pieces");
  static constexpr int lanes = LANES;
  static constexpr int across = PIECES / LANES;              // steps along a row
  static constexpr int thread_rows = SLICE_THREADS / LANES;  // rows copied at a time
  static constexpr int down = divide_up(ROWS, thread_rows);  // steps across rows
  static constexpr bool even = ROWS % thread_rows == 0;      // else the last step is for some threads only
  static constexpr int count = across * down;
};

/// The largest power of two up to `most` that divides `pieces`.
__device__ constexpr int lanes_for(int pieces, int most) {
  int lanes = 1;
  while (lanes * 2 <= most && pieces % (lanes * 2) == 0) lanes *= 2;
  return lanes;
}

/// A is transposed on the way, so it is copied float by float: COPY_LANES neighbouring k of a row by as many
/// lanes. 8 are a sector of 32 bytes; fewer make a thread's copies lie in fewer rows, whose addresses it has
/// to compute.
using GridA = CopyGrid<TILE_M, TILE_K, COPY_LANES>;
/// B is copied 16 or 4 bytes at a time. A thread stays in one row if it can, for then all its copies share an
/// address but for a constant; but neighbouring lanes copy 128 bytes at least.
constexpr int FLOATS_B = VECTOR / 4;
using GridB =
    CopyGrid<TILE_K, TILE_N / FLOATS_B,
             lanes_for(TILE_N / FLOATS_B, larger(32 / FLOATS_B, smaller(SLICE_THREADS / TILE_K, WARP)))>;
constexpr int COPIES = GridA::count + GridB::count;  // of a thread, for a k-tile

class Copies {
 public:
  /// `thread` is its number in the slice, `pipeline` the slice's shared memory.
  __device__ Copies(const Problem& problem, const Division& division, float* pipeline, int slice, int thread)
      : m_problem(problem),
        m_division(division),
        m_schedule(division),
        m_position(m_schedule.begin()),
        m_slice(slice),
        m_thread(thread) {
    const int to_a = k_a() * PITCH_A + row_a();
    const int to_b = SHARED_A + k_b() * TILE_N + shared_column(column_b());
    m_to_a = shared_address(pipeline) + opaque(to_a * 4);
    m_to_b = shared_address(pipeline) + opaque(to_b * 4);
  }

  /// How many k-tiles can be copied until the next call. Edges along k, and where a segment ends, are dealt
  /// with here, so that between calls addresses only grow and conditions stay as they are. Slices have the
  /// same number of k-tiles, and if these are more than there are, the first slices begin with some that are
  /// not there.
  __device__ int next_run() {
    Segment segment;
    if (!m_schedule.get(m_position, segment)) return end();
    const int count = divide_up(segment.count, SLICES);
    if (count == 0) return end();
    const int end_k = m_problem.K - (m_division.k_tiles - segment.first - segment.count) * TILE_K;
    const int begin_k = larger(end_k - segment.count * TILE_K, 0);
    const int k = end_k - ((SLICES - m_slice) * count - m_done) * TILE_K;
    if (m_done == 0) aim(segment, k);
    const int missing = larger(begin_k - k, 0);
    m_left_a = k_a() - missing;
#pragma unroll
    for (int i = 0; i < GridB::down; ++i) {
      m_left_b[i] = k_b() + i * GridB::thread_rows < missing ? 0 : m_problem.N - segment.column - column_b();
    }
    const int run = missing > 0 ? 1 : count - m_done;
    m_done += run;
    if (m_done == count) {
      m_done = 0;
      m_position = segment.next;
    }
    return run;
  }

  /// Copies FIRST <= i < LAST of the k-tile, into the stage that begins `stage` bytes into the pipeline.
  template <int FIRST, int LAST>
  __device__ void copy(int stage) const {
#pragma unroll
    for (int i = FIRST; i < LAST; ++i) {
      if (i < GridA::count) {
        copy_a(i / GridA::across, i % GridA::across, stage);
      } else {
        copy_b((i - GridA::count) / GridB::across, (i - GridA::count) % GridB::across, stage);
      }
    }
  }

  __device__ void advance() {
    m_a += TILE_K;
#pragma unroll
    for (int i = 0; i < GridB::down; ++i) m_b[i] += static_cast<ptrdiff_t>(TILE_K) * m_problem.ldb;
  }

 private:
  // Of a k-tile, this thread's first float of A and of B.
  __device__ int row_a() const {
    return m_thread / GridA::lanes;
  }
  __device__ int k_a() const {
    return m_thread % GridA::lanes;
  }
  __device__ int k_b() const {
    return m_thread / GridB::lanes;
  }
  __device__ int column_b() const {
    return m_thread % GridB::lanes * FLOATS_B;
  }

  __device__ void copy_a(int down, int across, int stage) const {
    if (!GridA::even && row_a() + down * GridA::thread_rows >= TILE_M) return;
    const int k = across * GridA::lanes;
    const int to = k * PITCH_A + down * GridA::thread_rows;
    const char* const from = reinterpret_cast<const char*>(m_a) + m_offset_a[down];
    copy_async<4>(m_to_a + stage + to * 4, reinterpret_cast<const float*>(from) + k, m_left_a, -1 - k);
  }

  __device__ void copy_b(int down, int across, int stage) const {
    if (!GridB::even && k_b() + down * GridB::thread_rows >= TILE_K) return;
    constexpr int step = GridB::lanes * FLOATS_B;
    static_assert(VECTOR == 16 || GridB::across == 1 || step % (QUAD * LANES_N) == 0, "see shared_column");
    const int to = down * GridB::thread_rows * TILE_N + across * step;
    copy_async<FLOATS_B * 4>(m_to_b + stage + to * 4, m_b[down] + across * step, m_left_b[down],
                             across * step);
  }

  __device__ void aim(const Segment& segment, int k) {
    m_a = m_problem.A + static_cast<ptrdiff_t>(segment.row) * m_problem.lda + k;
#pragma unroll
    for (int i = 0; i < GridA::down; ++i) {
      const int row = smaller(row_a() + i * GridA::thread_rows, m_problem.M - 1 - segment.row);
      m_offset_a[i] = (row * m_problem.lda + k_a()) * 4;
    }
#pragma unroll
    for (int i = 0; i < GridB::down; ++i) {
      m_b[i] = m_problem.B + static_cast<ptrdiff_t>(k + k_b() + i * GridB::thread_rows) * m_problem.ldb +
               (segment.column + column_b());
    }
  }

  /// Behind the last segment all copies fill zeros.
  __device__ int end() {
    constexpr int for_ever = 1 << 30;
    m_left_a = -for_ever;
#pragma unroll
    for (int i = 0; i < GridB::down; ++i) m_left_b[i] = 0;
    return for_ever;
  }

  const Problem& m_problem;
  const Division& m_division;
  Schedule m_schedule;
  int m_position;  // of the segment
  int m_slice;
  int m_thread;
  SharedAddress m_to_a, m_to_b;      // of this thread's first copies, in the first stage
  const float* m_a;                  // where the k-tile of A begins …
  unsigned m_offset_a[GridA::down];  // … and this thread's rows in it, in bytes
  const float* m_b[GridB::down];
  int m_left_a;               // not negative where a copy is of something
  int m_left_b[GridB::down];  // columns of B from this thread's first on
  int m_done = 0;             // k-tiles of the segment
};
