#pragma once
// Shared memory to sums: one wgmma multiplies 64 x 16 of A with 16 x WIDE of B (or of B^T and A^T), and adds
// to 64 x WIDE sums in the registers of a warpgroup. It reads both from shared memory, where a descriptor
// says they are, and runs on its own until waited for.

#include "wgmma/operands.cuh"
#include "wgmma/shape.cuh"

struct Sums {
  float of[BLOCKS][WIDE / 2];
};

/// Where an operand begins and how it is laid out: 128-byte swizzle; `group` bytes from eight rows of shared
/// memory to the next; `block` bytes from 64 columns to the next, where rows of the operand are along the
/// columns of D.
__device__ inline unsigned long long operand(unsigned address, unsigned block, unsigned group) {
  return (address & 0x3ffffU) >> 4U | static_cast<unsigned long long>(block >> 4U) << 16U |
         static_cast<unsigned long long>(group >> 4U) << 32U | 1ULL << 62U;
}

__device__ inline void begin_multiplying() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void end_of_batch() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LEFT>
__device__ inline void wait_for_batches() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#define NAME_OF___half "f16"
#define NAME_OF_half "f16"
#define NAME_OF___nv_bfloat16 "bf16"
#define NAME_OF___nv_fp8_e4m3 "e4m3"
#define NUMBER_NAME JOIN(NAME_OF_, ELEMENT_TYPE, )

#if ELEMENT_BYTES == 1
#define MULTIPLY_ADD "k32.f32." NUMBER_NAME "." NUMBER_NAME
#define ALONG_K(first, second)  // both operands always are
#else
#define MULTIPLY_ADD "k16.f32." NUMBER_NAME "." NUMBER_NAME
#define ALONG_K(first, second) ", " first ", " second
#endif

/// sum = first * second, or with `add` sum += first * second.
__device__ inline void multiply(float (&sum)[WIDE / 2], unsigned long long first, unsigned long long second,
                                int add) {
  asm volatile(
      "{ .reg .pred add;\n"
      "setp.ne.b32 add, %" TEXT(OPERAND_3) ", 0;\n"
      "wgmma.mma_async.sync.aligned.m64n" TEXT(WIDE) MULTIPLY_ADD
      " {" SUMS_TEXT "}, %" TEXT(OPERAND_1) ", %" TEXT(OPERAND_2) ", add, 1, 1"
      ALONG_K("%" TEXT(OPERAND_4), "%" TEXT(OPERAND_5)) "; }"
      : SUMS_OPERANDS
      : "l"(first), "l"(second), "r"(add), "n"(TRANSPOSED ? B_ROWS : A_COLUMNS), "n"(TRANSPOSED ? A_COLUMNS : B_ROWS));
}

/// Of an operand in a stage: where the 64 rows or columns number `block` and step `k` begin. A row of shared
/// memory is along k, and LENGTH rows are beside each other; or it is across k, and TILE_K are.
template <bool ALONG_K, int LENGTH>
__device__ constexpr int place_of(int block, int k) {
  return ALONG_K ? (k * STEP / ROW * LENGTH + block * 64) * ROW_BYTES +
                       k * STEP % ROW * static_cast<int>(sizeof(Number))
                 : (block * TILE_K + k * STEP) * ROW_BYTES;
}

/// One k-tile; `add` is 0 for the first of a tile. A place in the stage is added to the descriptor in units
/// of 16 bytes.
__device__ inline void multiply_tile(Sums& sums, unsigned stage, int in_team, int add) {
  constexpr auto of_a = place_of<!A_COLUMNS, TILE_M>;
  constexpr auto of_b = place_of<!B_ROWS, TILE_N>;
  constexpr auto of_first = TRANSPOSED ? of_b : of_a, of_second = TRANSPOSED ? of_a : of_b;
  const int own = of_first(BLOCKS, 0) * in_team;
  const unsigned long long a =
      operand(stage + (TRANSPOSED ? 0 : own), A_COLUMNS ? TILE_K * ROW_BYTES : 16, 8 * ROW_BYTES);
  const unsigned long long b =
      operand(stage + BYTES_A + (TRANSPOSED ? own : 0), B_ROWS ? TILE_K * ROW_BYTES : 16, 8 * ROW_BYTES);
  begin_multiplying();
#pragma unroll
  for (int i = 0; i < TILE_K / STEP * BLOCKS; ++i) {
    const int k = i / BLOCKS;
    multiply(sums.of[i % BLOCKS], (TRANSPOSED ? b : a) + of_first(i % BLOCKS, k) / 16,
             (TRANSPOSED ? a : b) + of_second(0, k) / 16, k == 0 ? add : 1);
  }
  end_of_batch();
}

/// Tensor cores keep some 14 bits of a sum of FP8 products. So with PROMOTE the sums of each k-tile, which
/// have come, are added up in float.
__device__ inline void add(Sums& total, const Sums& sums) {
#pragma unroll
  for (int block = 0; block < BLOCKS; ++block) {
#pragma unroll
    for (int i = 0; i < WIDE / 2; ++i) total.of[block][i] += sums.of[block][i];
  }
}
