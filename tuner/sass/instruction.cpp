#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "tuner/sass/listing.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sass {
namespace {

template <class Visit>
void each_part(std::string_view text, std::string_view mark, const Visit& visit) {
  while (!text.empty()) visit(util::split_first(text, mark));
}

}  // namespace

bool Instruction::has(std::string_view part) const {
  bool found = false;
  each_part(opcode, ".", [&](std::string_view each) { found = found || each == part; });
  return found;
}

std::vector<std::string_view> Instruction::operand_list() const {
  std::vector<std::string_view> list;
  each_part(operands, ",", [&](std::string_view each) { list.push_back(util::trimmed(each)); });
  return list;
}

std::string Instruction::text() const {
  return fmt::format("{}{}{}{}", guard.empty() ? "" : "@" + guard + " ", opcode, operands.empty() ? "" : " ",
                     operands);
}

// Names from NVIDIA's "CUDA Binary Utilities", instruction set references of Ampere to Blackwell.
const std::array<KindRow, kind_count>& kinds() {
  static const std::array<KindRow, kind_count> rows = {{
      {Kind::multiply_add,
       {"multiply_add", "FP32 multiply-adds: FFMA", "instructions"},
       "FFMA FFMA2 FFMA32I"},
      {Kind::fp32,
       {"fp32", "other FP32 arithmetic", "instructions"},
       "FADD FADD2 FADD32I FMUL FMUL2 FMUL32I FMNMX FMNMX3 FSEL FSET FSETP FSWZADD FCHK FHADD FHFMA"},
      {Kind::fp16,
       {"fp16", "half and bfloat16 arithmetic", "instructions"},
       "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 VHMNMX"},
      {Kind::fp64, {"fp64", "FP64 arithmetic", "instructions"}, "DADD DFMA DMUL DMNMX DSETP DSET"},
      {Kind::tensor,
       {"tensor", "on tensor cores: HMMA, HGMMA, QMMA, UTCHMMA and their kin", "instructions"},
       ""},
      {Kind::integer,
       {"integer", "integer arithmetic, comparisons, addresses", "instructions"},
       "BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA "
       "LOP "
       "LOP3 LOP32I POPC PRMT SEL SGXT SHF SHL SHR VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 PLOP3 "
       "PSETP LEPC"},
      {Kind::uniform, {"uniform", "on the uniform datapath, once a warp", "instructions"}, ""},
      {Kind::special, {"special", "special functions: MUFU", "instructions"}, "MUFU"},
      {Kind::conversion,
       {"conversion", "between number formats: F2F, I2F, F2I, FRND", "instructions"},
       "F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP UF2FP UF2F UF2I UI2F UI2FP UFRND"},
      {Kind::global_load, {"global_load", "loads from global memory", "instructions"}, "LD LDG LDGMC LDTRAM"},
      {Kind::global_store, {"global_store", "stores to global memory", "instructions"}, "ST STG STAS"},
      {Kind::async_copy,
       {"async_copy", "copies to or from shared memory: LDGSTS, UTMALDG, UBLKCP", "instructions"},
       "LDGSTS UBLKCP UBLKPF UBLKRED UTMALDG UTMASTG UTMAPF UTMAREDG"},
      {Kind::shared_load, {"shared_load", "loads from shared memory", "instructions"}, "LDS LDSM"},
      {Kind::shared_store, {"shared_store", "stores to shared memory", "instructions"}, "STS STSM"},
      {Kind::local_load, {"local_load", "loads from local memory", "instructions"}, "LDL"},
      {Kind::local_store, {"local_store", "stores to local memory", "instructions"}, "STL"},
      {Kind::constant_load, {"constant_load", "loads from constant memory", "instructions"}, "LDC LDCU ULDC"},
      {Kind::tensor_memory,
       {"tensor_memory", "accesses of tensor memory", "instructions"},
       "LDT LDTM STT STTM UTCCP UTCSHIFT UTCATOMSW"},
      {Kind::texture,
       {"texture", "textures and surfaces", "instructions"},
       "TEX TLD TLD4 TMML TXD TXQ SULD SUST SURED SUATOM"},
      {Kind::atomic,
       {"atomic", "atomic operations and reductions in memory", "instructions"},
       "ATOM ATOMG ATOMS RED REDG REDAS UREDGR"},
      {Kind::exchange,
       {"exchange", "between the lanes of a warp: SHFL, VOTE, MATCH, REDUX", "instructions"},
       "SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT MOVM"},
      {Kind::barrier,
       {"barrier", "barriers, fences, waits for copies: BAR, SYNCS, WARPSYNC, DEPBAR", "instructions"},
       "BAR SYNCS SYNCSU WARPSYNC WARPGROUP WARPGROUPSET DEPBAR LDGDEPBAR MEMBAR ERRBAR CGAERRBAR FENCE "
       "ACQBULK "
       "ENDCOLLECTIVE CCTL CCTLL CCTLT UTMACCTL UTMACMDFLUSH UCGABAR_ARV UCGABAR_WAIT UTCBAR ARRIVES USYNCS"},
      {Kind::branch,
       {"branch", "branches, calls, exits", "instructions"},
       "BRA BRX BRXU BREAK BSSY BSYNC CALL EXIT JMP JMX JMXU KILL RET BPT NANOSLEEP YIELD PREEXIT RPCMOV"},
      {Kind::move,
       {"move", "between registers, and constants", "instructions"},
       "MOV MOV32I UMOV CS2R CS2UR S2R S2UR R2UR P2R R2P UP2UR UR2UP B2R R2B BMOV"},
      {Kind::other, {"other", "what no other kind has", "instructions"}, "NOP PMTRIG USETMAXREG"},
  }};
  return rows;
}

namespace {

std::map<std::string_view, Kind> named_kinds() {
  std::map<std::string_view, Kind> named;
  for (const KindRow& row : kinds())
    each_part(row.names, " ", [&](std::string_view name) { named.emplace(name, row.kind); });
  return named;
}

/// A constant or a register that is brought where it is needed by the pipe that is free.
bool is_disguised_move(const Instruction& instruction) {
  const std::vector<std::string_view> operands = instruction.operand_list();
  if (operands.size() < 4) return instruction.has("MOV");
  const auto is_zero = [](std::string_view text) { return text == "RZ" || text == "-RZ" || text == "URZ"; };
  return is_zero(operands[1]) && is_zero(operands[2]);
}

/// The numbers of a shape, `16`, `8`, `16`: of `64x128x16`, or of `16816`, whose parts are 4, 8 or a
/// multiple of 16.
std::optional<std::array<int, 3>> shape_of(std::string_view part) {
  std::array<int, 3> shape{};
  if (part.find('x') != std::string_view::npos) {
    for (int& extent : shape) extent = util::parse_number<int>(util::split_first(part, "x")).value_or(0);
    return std::ranges::min(shape) > 0 ? std::optional(shape) : std::nullopt;
  }
  for (int& extent : shape) {
    std::size_t digits = 0;
    for (const std::string_view known : {"256", "128", "64", "32", "16", "8", "4"}) {
      if (digits == 0 && part.starts_with(known)) digits = known.size();
    }
    if (digits == 0) return std::nullopt;
    extent = util::parse_number<int>(part.substr(0, digits)).value_or(0);
    part.remove_prefix(digits);
  }
  return part.empty() ? std::optional(shape) : std::nullopt;
}

/// Of tensor cores, for a thread. A warpgroup shares one HGMMA, and UTCHMMA's shape is in a descriptor: as
/// much as that of 128 x 128 x 16 by four warps.
double tensor_multiply_adds(const Instruction& instruction) {
  constexpr double lanes = 32;
  constexpr double warps_of_group = 4;
  double found = 128. * 128 * 16 / lanes / warps_of_group;
  each_part(instruction.opcode, ".", [&](std::string_view part) {
    if (const auto shape = shape_of(part)) {
      found = static_cast<double>((*shape)[0]) * (*shape)[1] * (*shape)[2] / lanes;
      if (instruction.name().find("GMMA") != std::string_view::npos) found /= warps_of_group;
    }
  });
  return found;
}

}  // namespace

Kind kind_of(const Instruction& instruction) {
  static const std::map<std::string_view, Kind> named = named_kinds();
  if (instruction.is_never_executed()) return Kind::other;
  const std::string_view name = instruction.name();
  if (name == "IMAD" || name == "HFMA2") {
    if (is_disguised_move(instruction)) return Kind::move;
  }
  if (const auto found = named.find(name); found != named.end()) return found->second;
  if (name.ends_with("MMA")) return Kind::tensor;
  const bool is_upper = name.size() > 1 && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  return name.starts_with('U') && is_upper ? Kind::uniform : Kind::other;
}

double multiply_adds_of(const Instruction& instruction) {
  constexpr double beside = 0.25;
  const std::string_view name = instruction.name();
  const double pairs = name.ends_with('2') ? 2 : 1;
  const bool is_fused = name.find("FMA") != std::string_view::npos;
  switch (kind_of(instruction)) {
    case Kind::tensor:
      return tensor_multiply_adds(instruction);
    case Kind::multiply_add:
    case Kind::fp32:
    case Kind::fp16:
    case Kind::fp64:
      return pairs * (is_fused ? 1 : beside);
    case Kind::special:
      return beside;
    default:
      return 0;
  }
}

bool is_double(const Instruction& instruction) {
  const Kind kind = kind_of(instruction);
  return kind == Kind::fp64 || instruction.name() == "DMMA" ||
         (kind == Kind::conversion && instruction.has("F64")) ||
         (kind == Kind::special && (instruction.has("RCP64H") || instruction.has("RSQ64H")));
}

std::string_view word_of(Space space) {
  constexpr std::array words = {"global", "shared", "local", "global to shared"};
  return words[static_cast<std::size_t>(space)];
}

std::optional<Access> access_of(const Instruction& instruction) {
  Access access;
  switch (kind_of(instruction)) {
    case Kind::global_load:
      break;
    case Kind::global_store:
      access.writes = true;
      break;
    case Kind::async_copy:
      if (instruction.name() != "LDGSTS") return std::nullopt;
      access.space = Space::global_to_shared;
      break;
    case Kind::shared_store:
      access.writes = true;
      [[fallthrough]];
    case Kind::shared_load:
      access.space = Space::shared;
      break;
    case Kind::local_store:
      access.writes = true;
      [[fallthrough]];
    case Kind::local_load:
      access.space = Space::local;
      break;
    default:
      return std::nullopt;
  }
  constexpr int word = 32;
  access.bits = word;
  // LDSM and STSM move one to four 8 x 8 matrices of 16 bits: `.16.M88.4`, a word of each lane for each.
  const bool is_matrix = instruction.name() == "LDSM" || instruction.name() == "STSM";
  each_part(instruction.opcode, ".", [&](std::string_view part) {
    if (is_matrix) {
      if (part == "2" || part == "4") access.bits = word * (part.front() - '0');
      return;
    }
    for (const int bits : {8, 16, 64, 128, 256}) {
      const std::string number = fmt::format("{}", bits);
      if (part == number || part == "U" + number || part == "S" + number) access.bits = bits;
    }
  });
  return access;
}

bool is_spill(const Instruction& instruction, SpillSigns signs) {
  const Kind kind = kind_of(instruction);
  if (signs == SpillSigns::none || (kind != Kind::local_load && kind != Kind::local_store)) return false;
  if (signs == SpillSigns::notes) return instruction.note == "SpillRefill";
  return instruction.has("LU") || instruction.operands.find("[R1+") != std::string::npos ||
         instruction.operands.find("[R1]") != std::string::npos;
}

namespace {

constexpr std::size_t banks = 2;
constexpr std::size_t places = 3;
constexpr int none = -1;

struct Operand {
  int number = none;  ///< of the register; none: a constant, RZ, a uniform register
  bool reuse = false;
};

Operand operand_of(std::string_view text) {
  Operand operand;
  text.remove_prefix(std::min(text.find_first_not_of("-|~!"), text.size()));
  if (!text.starts_with('R')) return operand;
  text.remove_prefix(1);
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  operand.number = util::parse_number<int>(digits).value_or(none);
  operand.reuse = text.find(".reuse") != std::string_view::npos;
  return operand;
}

/// What the last FFMA has left, by place.
using Cache = std::array<int, places>;

/// Those behind the destination, and what they leave in the cache.
OperandReads read_operands(const std::vector<std::string_view>& operands, int limit, Cache& cache) {
  OperandReads reads;
  std::array<int, banks> from_bank{};
  std::vector<int> seen;
  for (std::size_t place = 0; place < places; ++place) {
    const Operand operand = place + 1 < operands.size() ? operand_of(operands[place + 1]) : Operand{};
    const bool is_kept = operand.number != none && cache[place] == operand.number;
    cache[place] = operand.reuse ? operand.number : none;
    if (operand.number == none || std::ranges::find(seen, operand.number) != seen.end()) continue;
    seen.push_back(operand.number);
    ++reads.registers;
    if (is_kept)
      ++reads.kept;
    else
      ++from_bank[static_cast<std::size_t>(operand.number) % banks];
  }
  reads.conflicts = *std::ranges::max_element(from_bank) > limit;
  return reads;
}

}  // namespace

int reads_of_bank(std::string_view architecture) {
  constexpr std::array narrow = {"sm_70", "sm_72", "sm_75", "sm_80"};
  return std::ranges::find(narrow, architecture) != narrow.end() ? 2 : 1;
}

std::vector<OperandReads> operand_reads(std::span<const Instruction> instructions, int reads_of_bank) {
  Cache cache;
  cache.fill(none);
  std::vector<OperandReads> all;
  for (const Instruction& instruction : instructions) {
    const bool is_read = instruction.name() == "FFMA";
    all.push_back(is_read ? read_operands(instruction.operand_list(), reads_of_bank, cache) : OperandReads{});
  }
  return all;
}

}  // namespace tuner::sass
