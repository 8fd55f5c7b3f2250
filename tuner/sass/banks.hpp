#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "tuner/sass/instruction.hpp"

namespace tuner::sass {

/// How FP32 multiply-adds read registers. A register is in the bank of its parity (Jia et al. 2018,
/// arXiv:1804.06826, for Volta; Huerta et al. 2025, arXiv:2503.20481, for Ampere; docs/gemm.md for Hopper).
/// A bank gives one register a cycle. A multiply-add of a warp takes two cycles where a scheduler has 16
/// FP32 lanes (sm_70, sm_75, sm_80) and so may read two registers of one bank; else it takes one cycle.
int reads_of_bank(std::string_view architecture);

/// What one FFMA reads.
struct OperandReads {
  int registers = 0;       ///< distinct ones, RZ apart
  int kept = 0;            ///< of them, found in the operand cache
  bool conflicts = false;  ///< it reads more registers of one bank than its time allows
};

/// The reads of instructions that follow each other, a block's; of others than FFMA all is 0. A register that
/// an FFMA prints with `.reuse` is kept for the next FFMA that reads it in the same place. By this rule the
/// counts of docs/results/h200-2026-11-22-sgemm-2 were made, which explain measured times.
std::vector<OperandReads> operand_reads(std::span<const Instruction> instructions, int reads_of_bank);

}  // namespace tuner::sass
