#pragma once
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/record_fields.hpp"

namespace tuner::sass {

/// An instruction as nvdisasm prints it: `@!P0 LDG.E.64 R4, desc[UR4][R2.64] ;`.
struct Instruction {
  std::int64_t address = 0;
  std::string guard;     ///< `!P0`; empty: always executed
  std::string opcode;    ///< `LDG.E.64`
  std::string operands;  ///< `R4, desc[UR4][R2.64]`
  std::string note;      ///< what nvdisasm adds: `SpillRefill`, `BRANCH_TARGETS .L_x_1,.L_x_2`
  std::string file;      ///< of the source; empty: compiled without line numbers
  int line = 0;

  /// `LDG` of `LDG.E.64`.
  std::string_view name() const { return std::string_view(opcode).substr(0, opcode.find('.')); }
  /// Whether `LDG.E.64` has the part `64`.
  bool has(std::string_view part) const;
  bool is_guarded() const { return !guard.empty() && guard != "PT"; }
  bool is_never_executed() const { return guard == "!PT" || guard == "!UPT"; }
  std::vector<std::string_view> operand_list() const;
  std::string text() const;
};

/// What an instruction occupies the multiprocessor with.
enum class Kind {
  multiply_add,
  fp32,
  fp16,
  fp64,
  tensor,
  integer,
  uniform,
  special,
  conversion,
  global_load,
  global_store,
  async_copy,
  shared_load,
  shared_store,
  local_load,
  local_store,
  constant_load,
  tensor_memory,
  texture,
  atomic,
  exchange,
  barrier,
  branch,
  move,
  other,
};

struct KindRow {
  Kind kind;
  model::Figure figure;
  const char* names;  ///< of instructions, with blanks between; kind_of() knows the rest
};

constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::other) + 1;
/// A row for each kind, in the order of the enumerators.
const std::array<KindRow, kind_count>& kinds();

/// What is never executed, `@!PT LDS RZ, [RZ]`, only takes an issue slot: `other`.
Kind kind_of(const Instruction& instruction);

/// Multiply-adds of one thread, the measure of a loop's arithmetic. One of a tensor core is
/// M·N·K / 32 where its name has the shape; other arithmetic counts as a quarter.
double multiply_adds_of(const Instruction& instruction);

/// Whether it calculates with or converts to or from FP64.
bool is_double(const Instruction& instruction);

enum class Space { global, shared, local, global_to_shared };

/// `global`, `shared`, `local`, `global to shared`
std::string_view word_of(Space space);

/// A load or store of each lane.
struct Access {
  Space space = Space::global;
  bool writes = false;
  int bits = 0;  ///< a lane
  auto operator<=>(const Access&) const = default;
};

/// Nothing where it is no load or store, or one of a whole box, such as UTMALDG. LD and ST, whose space is
/// known at run time, count as global.
std::optional<Access> access_of(const Instruction& instruction);

/// How spilled registers are told from arrays in local memory.
enum class SpillSigns {
  notes,      ///< nvdisasm 13.5 and later note `SpillRefill`
  addresses,  ///< else `.LU` (last use), or an address relative to the stack pointer R1
  none,       ///< the compiler has said that it spilled nothing
};

/// Whether a local access saves or restores a register.
bool is_spill(const Instruction& instruction, SpillSigns signs);

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

/// Registers by number; those of the uniform datapath stand behind those of a thread.
using Registers = std::set<int>;

/// The registers that it writes. Where its text does not say how many they are, rather too many.
Registers written_by(const Instruction& instruction);

/// Whether it writes a constant: the same each time, whatever registers hold.
bool writes_constant(const Instruction& instruction);

/// The registers that a load from global memory takes its address from. Nothing for all else, and for a load
/// that must see what others write: one that is volatile or ordered, `LDG.E.STRONG.GPU`.
std::optional<Registers> address_of(const Instruction& instruction);

/// NVIDIA's disassembler, run as a child.
class Disassembler {
 public:
  static constexpr std::chrono::seconds usual_limit{60};

  /// Takes the first of `places` that is a program; a name without a slash is looked for in the PATH. Throws
  /// model::Error with what was looked for.
  explicit Disassembler(const std::vector<std::string>& places,
                        std::chrono::milliseconds limit = usual_limit);

  /// What it prints of a cubin, line numbers included where it has them; see read_listing(). Throws
  /// model::Error where it refuses the cubin, takes too long, or prints more than 64 MiB.
  std::string listing(std::span<const std::byte> cubin) const;

  const std::string& program() const { return m_program; }

 private:
  std::string m_program;
  std::chrono::milliseconds m_limit;
};

/// A section of machine code: a kernel and the functions that it has to itself, or a function that several
/// kernels call.
struct Code {
  std::string symbol;
  bool is_kernel = false;
  std::vector<Instruction> instructions;
  std::map<std::string, std::size_t, std::less<>> labels;  ///< where each stands; may be behind the last
  std::vector<std::string> functions;                      ///< labels of functions, the kernel's own apart
};

struct Listing {
  std::string architecture;  ///< `sm_90a`
  std::vector<Code> sections;

  const Code* find(std::string_view symbol) const;
};

/// Reads what `nvdisasm -c -g` prints. Lines that it does not know are left out, so something else gives a
/// listing without sections.
Listing read_listing(std::string_view text);

}  // namespace tuner::sass
