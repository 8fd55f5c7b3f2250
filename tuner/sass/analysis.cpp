#include "tuner/sass/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "tuner/sass/listing.hpp"

namespace tuner::sass {

std::string_view word_of(Mark mark) {
  constexpr std::array words = {"", "spill", "local", "fp64", "conflict", "narrow", "wide"};
  return words[static_cast<std::size_t>(mark)];
}

namespace {

/// Its accesses are told apart in this order.
using AccessCounts = std::map<std::pair<int, Access>, int>;

std::vector<AccessCount> listed(const AccessCounts& counts) {
  std::vector<AccessCount> list;
  for (const auto& [key, count] : counts) list.push_back({key.first, key.second, count});
  return list;
}

SpillSigns spill_signs(const Code& code, bool may_spill) {
  if (!may_spill) return SpillSigns::none;
  const bool has_notes = std::ranges::any_of(code.instructions, [](const Instruction& instruction) {
    return is_spill(instruction, SpillSigns::notes);
  });
  return has_notes ? SpillSigns::notes : SpillSigns::addresses;
}

/// What is known of an instruction from those around it.
struct Facts {
  OperandReads reads;
  bool is_spill = false;
  bool is_unchanged = false;  ///< a load whose address its loop does not change
};

void add(const Instruction& instruction, const Facts& facts, Mix& mix) {
  const auto& [reads, is_spill, is_unchanged] = facts;
  const Kind kind = kind_of(instruction);
  ++mix.instructions;
  ++mix.of_kind[static_cast<std::size_t>(kind)];
  if (instruction.is_guarded()) ++mix.guarded;
  if (is_spill) ++(kind == Kind::local_load ? mix.spill_loads : mix.spill_stores);
  if (is_double(instruction)) ++mix.doubles;
  if (is_unchanged) ++mix.unchanged_loads;
  mix.operands += reads.registers;
  mix.operands_kept += reads.kept;
  if (reads.registers == 3 && reads.kept == 0) ++mix.none_kept;
  if (reads.conflicts) ++mix.conflicts;
  mix.multiply_adds += multiply_adds_of(instruction);
  // A sector has 32 bytes and a warp 32 lanes: as many sectors as a lane has bytes, or one.
  const auto access = access_of(instruction);
  constexpr int bits_of_byte = 8;
  if (access && access->space != Space::shared && access->space != Space::local)
    mix.sectors += access->bits / bits_of_byte;
}

Mark mark_of(const Instruction& instruction, const Facts& facts) {
  constexpr int narrow_bits = 32;
  constexpr int wide_bits = 128;
  const auto access = access_of(instruction);
  if (access && access->space == Space::local) return facts.is_spill ? Mark::spill : Mark::local;
  if (is_double(instruction)) return Mark::fp64;
  if (facts.reads.conflicts) return Mark::conflict;
  if (!access) return Mark::none;
  return access->bits <= narrow_bits ? Mark::narrow : access->bits >= wide_bits ? Mark::wide : Mark::none;
}

int accesses_in(const Mix& mix) {
  return mix.count(Kind::global_load) + mix.count(Kind::global_store) + mix.count(Kind::async_copy) +
         mix.count(Kind::shared_load) + mix.count(Kind::shared_store) + mix.count(Kind::atomic) +
         mix.count(Kind::texture);
}

/// Larger is hotter.
auto heat_of(const Loop& loop) {
  constexpr double turns = 8;
  const double often = std::pow(turns, loop.depth);
  return std::tuple(loop.mix.multiply_adds * often, accesses_in(loop.mix) * often,
                    loop.mix.instructions * often);
}

class Analysis {
 public:
  Analysis(const Code& code, const std::string& architecture, bool may_spill)
      : m_code(code), m_flow(flow_of(code)), m_facts(code.instructions.size()) {
    m_kernel.symbol = code.symbol;
    m_kernel.architecture = architecture;
    const int limit = reads_of_bank(architecture);
    for (const Block& block : m_flow.blocks) {
      const std::span all(code.instructions);
      const auto reads = operand_reads(all.subspan(block.begin, block.end - block.begin), limit);
      for (std::size_t i = 0; i < reads.size(); ++i) m_facts[block.begin + i].reads = reads[i];
    }
    const SpillSigns signs = spill_signs(code, may_spill);
    for (std::size_t i = 0; i < m_facts.size(); ++i)
      m_facts[i].is_spill = is_spill(code.instructions[i], signs);
  }

  KernelCode run() {
    for (std::size_t i = 0; i < m_flow.loops.size(); ++i) find_unchanged(i);
    m_kernel.hands_registers_over = std::ranges::any_of(
        m_code.instructions, [](const Instruction& each) { return each.name() == "USETMAXREG"; });
    for (std::size_t i = 0; i < m_flow.loops.size(); ++i) m_kernel.loops.push_back(loop_of(i));
    const auto hottest = std::ranges::max_element(
        m_kernel.loops, [](const Loop& a, const Loop& b) { return heat_of(a) < heat_of(b); });
    if (hottest != m_kernel.loops.end())
      m_kernel.hot_loop = static_cast<int>(hottest - m_kernel.loops.begin());
    count();
    return std::move(m_kernel);
  }

 private:
  /// More blocks are not asked which of them each turn passes: the time grows with the square.
  static constexpr std::size_t most_blocks_asked = 2000;

  /// Functions that a loop calls may write any register, so nothing is known of its loads.
  void find_unchanged(std::size_t index) {
    const FlowLoop& loop = m_flow.loops[index];
    Registers written;
    for (const std::size_t b : loop.blocks) {
      const Block& block = m_flow.blocks[b];
      if (!block.calls.empty()) return;
      for (std::size_t i = block.begin; i < block.end; ++i)
        if (!writes_constant(m_code.instructions[i])) written.merge(written_by(m_code.instructions[i]));
    }
    for (const std::size_t b : loop.blocks) {
      const Block& block = m_flow.blocks[b];
      for (std::size_t i = block.begin; i < block.end && block.loop == static_cast<int>(index); ++i) {
        const auto address = address_of(m_code.instructions[i]);
        m_facts[i].is_unchanged =
            address && std::ranges::none_of(*address, [&](int each) { return written.contains(each); });
      }
    }
  }

  Loop loop_of(std::size_t index) {
    const FlowLoop& found = m_flow.loops[index];
    Loop loop;
    loop.depth = found.depth;
    loop.parent = found.parent;
    loop.entries = static_cast<int>(found.headers.size());
    if (loop.entries > 1) m_kernel.irreducible = true;
    const Instruction& first = m_code.instructions[m_flow.blocks[found.blocks.front()].begin];
    loop.first = first.address;
    loop.last = m_code.instructions[m_flow.blocks[found.blocks.back()].end - 1].address;
    loop.file = first.file;
    loop.line = first.line;
    for (const std::size_t b : found.blocks) {
      const Block& block = m_flow.blocks[b];
      if (block.loop != static_cast<int>(index)) continue;
      ++loop.blocks;
      for (std::size_t i = block.begin; i < block.end; ++i) add(m_code.instructions[i], m_facts[i], loop.mix);
    }
    if (found.blocks.size() > most_blocks_asked) return loop;
    loop.every_turn = 0;
    for (const std::size_t b : unavoidable_blocks(m_flow, index))
      loop.every_turn += static_cast<int>(m_flow.blocks[b].end - m_flow.blocks[b].begin);
    return loop;
  }

  void count() {
    std::map<int, Mix> depths;
    AccessCounts accesses;
    AccessCounts hot_accesses;
    std::set<std::size_t> certain;
    if (const Loop* hot = m_kernel.hottest(); hot != nullptr && hot->every_turn >= 0) {
      const auto blocks = unavoidable_blocks(m_flow, static_cast<std::size_t>(m_kernel.hot_loop));
      certain.insert(blocks.begin(), blocks.end());
    }
    for (std::size_t b = 0; b < m_flow.blocks.size(); ++b) {
      const Block& block = m_flow.blocks[b];
      if (!block.reachable) m_kernel.left_out += static_cast<int>(block.end - block.begin);
      for (std::size_t i = block.begin; block.reachable && i < block.end; ++i) {
        const Instruction& instruction = m_code.instructions[i];
        add(instruction, m_facts[i], m_kernel.mix);
        add(instruction, m_facts[i], depths[block.depth]);
        const auto access = access_of(instruction);
        if (access) ++accesses[{block.depth, *access}];
        if (block.loop != m_kernel.hot_loop && m_kernel.hot_loop >= 0) continue;
        if (access) ++hot_accesses[{block.depth, *access}];
        m_kernel.hot.push_back({instruction.address, instruction.text(), mark_of(instruction, m_facts[i]),
                                m_kernel.hot_loop < 0 || certain.contains(b), instruction.line});
      }
    }
    for (const auto& [depth, mix] : depths) m_kernel.depths.push_back({depth, mix});
    m_kernel.accesses = listed(accesses);
    m_kernel.hot_accesses = listed(hot_accesses);
  }

  const Code& m_code;
  Flow m_flow;
  std::vector<Facts> m_facts;  ///< of each instruction
  KernelCode m_kernel;
};

}  // namespace

KernelCode analyse(const Code& code, const std::string& architecture, bool may_spill) {
  return Analysis(code, architecture, may_spill).run();
}

}  // namespace tuner::sass
