#include "tuner/sass/banks.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "tuner/util/text.hpp"

namespace tuner::sass {
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
