#pragma once
// Shared memory to sums: one wgmma multiplies 64 x 16 of A with 16 x TILE_N of B, and adds to 64 x TILE_N sums in the registers
// of a warpgroup. It reads both from shared memory, where a descriptor says they are, and runs on its own until waited for.

#include "wgmma/operands.cuh"
#include "wgmma/shape.cuh"

struct Sums {
  float of[ROW_BLOCKS][TILE_N / 2];
};

/// Where an operand begins and how it is laid out: 128-byte swizzle; `group` bytes from eight rows of shared memory to the
/// next; `block` bytes from 64 columns to the next, where rows of the operand are along the columns of D.
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
#define NUMBER_NAME JOIN(NAME_OF_, ELEMENT_TYPE, )

/// sum = A * B, or with `add` sum += A * B.
__device__ inline void multiply(float (&sum)[TILE_N / 2], unsigned long long a, unsigned long long b, int add) {
  asm volatile(
      "{ .reg .pred add;\n"
      "setp.ne.b32 add, %" TEXT(OPERAND_3) ", 0;\n"
      "wgmma.mma_async.sync.aligned.m64n" TEXT(TILE_N) "k16.f32." NUMBER_NAME "." NUMBER_NAME
      " {" SUMS_TEXT "}, %" TEXT(OPERAND_1) ", %" TEXT(OPERAND_2) ", add, 1, 1, 0, %" TEXT(OPERAND_4) "; }"
      : SUMS_OPERANDS
      : "l"(a), "l"(b), "r"(add), "n"(B_ROWS ? 1 : 0));
}

/// One k-tile; `add` is 0 for the first of a tile. An operand's place in the stage is added to the descriptor's, in 16 bytes.
__device__ inline void multiply_tile(Sums& sums, unsigned stage, int in_team, int add) {
  const unsigned long long a = operand(stage + in_team * GROUP_M * ROW_BYTES, 16, 8 * ROW_BYTES);
  const unsigned long long b = operand(stage + BYTES_A, B_ROWS ? TILE_K * ROW_BYTES : 16, 8 * ROW_BYTES);
  begin_multiplying();
#pragma unroll
  for (int i = 0; i < TILE_K / STEP * ROW_BLOCKS; ++i) {
    const int k = i / ROW_BLOCKS, m = i % ROW_BLOCKS;
    const int row = k * STEP / ROW, in_row = k * STEP % ROW * 2;
    const int of_a = (row * TILE_M + m * 64) * ROW_BYTES + in_row;
    const int of_b = B_ROWS ? k * STEP * ROW_BYTES : row * TILE_N * ROW_BYTES + in_row;
    multiply(sums.of[m], a + of_a / 16, b + of_b / 16, k == 0 ? add : 1);
  }
  end_of_batch();
}
