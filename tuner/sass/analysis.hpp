#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/sass/listing.hpp"

namespace tuner::sass {

/// Instructions that are executed one after the other, and the blocks that may follow.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< behind the last
  std::vector<std::size_t> next;
  std::vector<std::size_t> calls;  ///< blocks where functions begin that it calls
  int depth = 0;                   ///< loops around it, those around a call of its function included
  int loop = -1;                   ///< the innermost in Flow::loops
  bool reachable = false;
};

/// A loop: a set of blocks that all lead to each other. An irreducible loop, entered at several places, has
/// several headers.
struct FlowLoop {
  std::vector<std::size_t> headers;
  std::vector<std::size_t> blocks;  ///< in order, those of inner loops included
  int parent = -1;
  int depth = 1;
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<FlowLoop> loops;  ///< outer ones before inner ones
};

/// The control flow of one section. What cannot be reached is marked so: padding, functions that are not
/// called, and the way on which BRA.DIV leads warps that have diverged where they hardly ever do. Loops
/// deeper than 32 are not looked for.
Flow flow_of(const Code& code);

/// Those blocks of a loop that no turn of it can avoid, inner loops apart.
std::vector<std::size_t> unavoidable_blocks(const Flow& flow, std::size_t loop);

/// What one may want to see at an instruction.
enum class Mark {
  none,
  spill,     ///< saves or restores a register in local memory
  local,     ///< another access of local memory, such as an array with a computed index
  fp64,      ///< calculates with or converts to or from FP64
  conflict,  ///< reads more registers of one bank than its time allows
  narrow,    ///< accesses at most 32 bits a lane in global or shared memory
  wide,      ///< accesses 128 bits a lane or more
};

/// `spill`, …; empty for none.
std::string_view word_of(Mark mark);

/// Counts of the instructions in one part of a kernel.
struct Mix {
  int instructions = 0;
  std::array<int, kind_count> of_kind{};
  int guarded = 0;
  int spill_loads = 0;
  int spill_stores = 0;
  int doubles = 0;
  int sectors = 0;
  int unchanged_loads = 0;
  int operands = 0;
  int operands_kept = 0;
  int none_kept = 0;
  int conflicts = 0;
  double multiply_adds = 0;

  int count(Kind kind) const { return of_kind[static_cast<std::size_t>(kind)]; }
};

struct DepthMix {
  int depth = 0;
  Mix mix;
};

struct AccessCount {
  int depth = 0;
  Access access;
  int count = 0;
};

/// Its own instructions; those of loops inside are theirs.
struct Loop {
  int depth = 1;
  int parent = -1;
  std::int64_t first = 0;  ///< address of its first instruction
  std::int64_t last = 0;
  int entries = 1;
  int blocks = 0;
  int every_turn = -1;
  std::string file;
  int line = 0;
  Mix mix;
};

struct MarkedInstruction {
  std::int64_t address = 0;
  std::string text;
  Mark mark = Mark::none;
  bool every_turn = true;
  int line = 0;
};

/// What the machine code of one kernel says.
struct KernelCode {
  std::string symbol;
  std::string architecture;
  Mix mix;
  int left_out = 0;
  bool irreducible = false;
  bool hands_registers_over = false;
  std::vector<DepthMix> depths;       ///< from 0, outside of loops
  std::vector<AccessCount> accesses;  ///< by depth, space, direction and width
  std::vector<Loop> loops;
  int hot_loop = -1;
  std::vector<AccessCount> hot_accesses;
  std::vector<MarkedInstruction> hot;  ///< its instructions; without a loop those of the kernel

  const Loop* hottest() const { return hot_loop < 0 ? nullptr : &loops[static_cast<std::size_t>(hot_loop)]; }
  const Mix& hot_mix() const { return hot_loop < 0 ? mix : hottest()->mix; }
};

/// The hot loop is the one with the most multiply-adds where each loop takes eight turns; without any, that
/// with the most accesses of memory, then that with the most instructions. `may_spill`: false where the
/// compiler has said that the kernel spills nothing.
KernelCode analyse(const Code& code, const std::string& architecture, bool may_spill = true);

// The figures, each described once (see tuner/model/record_fields.hpp).

template <class Archive, model::Described<Mix> T>
void describe(Archive& a, T& v) {
  using model::Figure;
  a(Figure{"instructions", "issue slots of a warp that executes all of it once", "instructions"},
    v.instructions);
  for (const KindRow& row : kinds()) a(row.figure, v.of_kind[static_cast<std::size_t>(row.kind)]);
  a(Figure{"guarded", "executed under a condition, branches included", "instructions"}, v.guarded);
  a(Figure{"spill_loads", "loads of spilled registers", "instructions"}, v.spill_loads);
  a(Figure{"spill_stores", "stores of spilled registers", "instructions"}, v.spill_stores);
  a(Figure{"doubles", "FP64 arithmetic and conversions to or from FP64", "instructions"}, v.doubles);
  a(Figure{"sectors", "of 32 bytes that a warp's global accesses and copies touch at least", "sectors"},
    v.sectors);
  a(Figure{"unchanged_loads", "global loads whose address its loop does not change", "instructions"},
    v.unchanged_loads);
  a(Figure{"operands", "registers that FFMA read", "registers"}, v.operands);
  a(Figure{"operands_kept", "of them, kept in the operand cache (.reuse)", "registers"}, v.operands_kept);
  a(Figure{"none_kept", "FFMA of three registers without a kept one", "instructions"}, v.none_kept);
  a(Figure{"conflicts", "FFMA that read more registers of one bank than their time allows", "instructions"},
    v.conflicts);
  a(Figure{"multiply_adds", "of a thread; other arithmetic counts as a quarter", "multiply-adds"},
    v.multiply_adds);
}

template <class Archive, model::Described<DepthMix> T>
void describe(Archive& a, T& v) {
  a(model::Figure{"depth", "loops around it"}, v.depth);
  describe(a, v.mix);
}

template <class Archive, model::Described<AccessCount> T>
void describe(Archive& a, T& v) {
  using model::Figure;
  a(Figure{"depth", "loops around it"}, v.depth);
  a(Figure{"space", "global, shared, local, global to shared"}, v.access.space);
  a(Figure{"writes", "a store"}, v.access.writes);
  a(Figure{"bits", "that each lane accesses", "bits"}, v.access.bits);
  a(Figure{"count", "how many there are", "instructions"}, v.count);
}

template <class Archive, model::Described<Loop> T>
void describe(Archive& a, T& v) {
  using model::Figure;
  a(Figure{"depth", "loops around its instructions, itself included"}, v.depth);
  a(Figure{"parent", "index of the loop around it", "", "there is none"}, v.parent);
  a(Figure{"first", "address of its first instruction", "bytes"}, v.first);
  a(Figure{"last", "address of its last instruction", "bytes"}, v.last);
  a(Figure{"entries", "where it can be entered; more than one: irreducible"}, v.entries);
  a(Figure{"blocks", "basic blocks, inner loops apart"}, v.blocks);
  a(Figure{"every_turn", "issue slots of the blocks that no turn can avoid, inner loops apart",
           "instructions", "it has too many blocks"},
    v.every_turn);
  a(Figure{"file", "source of its first instruction", "", "compiled without line numbers"}, v.file);
  a(Figure{"line", "of that source; 0: unknown"}, v.line);
  describe(a, v.mix);
}

template <class Archive, model::Described<MarkedInstruction> T>
void describe(Archive& a, T& v) {
  using model::Figure;
  a(Figure{"address", "in the kernel", "bytes"}, v.address);
  a(Figure{"text", "as nvdisasm prints it"}, v.text);
  a(Figure{"mark", "spill, local, fp64, conflict, narrow, wide or nothing"}, v.mark);
  a(Figure{"every_turn", "no turn of the loop can avoid it"}, v.every_turn);
  a(Figure{"line", "of the source; 0: unknown"}, v.line);
}

template <class Archive, model::Described<KernelCode> T>
void describe(Archive& a, T& v) {
  using model::Figure;
  a(Figure{"symbol", "its name in the binary"}, v.symbol);
  a(Figure{"architecture", "that it was compiled for"}, v.architecture);
  a(Figure{"whole", "all that can be reached"}, v.mix);
  a(Figure{"left_out", "padding, and code for warps that have diverged", "instructions"}, v.left_out);
  a(Figure{"irreducible", "a loop can be entered at several places"}, v.irreducible);
  a(Figure{"hands_registers_over",
           "warps give registers to others (USETMAXREG): they are specialised, some load and some calculate"},
    v.hands_registers_over);
  a(Figure{"depths", "by the number of loops around"}, v.depths);
  a(Figure{"accesses", "loads and stores by depth, space and width"}, v.accesses);
  a(Figure{"loops", "outer ones first"}, v.loops);
  a(Figure{"hot_loop", "index of the loop with the most arithmetic", "", "there is no loop"}, v.hot_loop);
  a(Figure{"hot_accesses", "loads and stores of the hot loop"}, v.hot_accesses);
  a(Figure{"hot", "instructions of the hot loop, or of a kernel without one"}, v.hot);
}

}  // namespace tuner::sass
