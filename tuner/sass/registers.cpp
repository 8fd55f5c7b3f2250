#include <algorithm>
#include <cctype>

#include "tuner/sass/listing.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sass {
namespace {

constexpr int uniform = 1024;  ///< what numbers of uniform registers begin with
constexpr int word_bits = 32;

/// A register in an operand, and whether it begins a pair.
struct Named {
  int number = 0;
  bool is_pair = false;
};

/// `R4`, `UR4.64`, `R2.reuse`; RZ, constants and predicates are none.
std::optional<Named> named(std::string_view text) {
  Named found;
  text.remove_prefix(std::min(text.find_first_not_of("-|~!"), text.size()));
  if (text.starts_with("UR"))
    found.number = uniform;
  else if (!text.starts_with('R'))
    return std::nullopt;
  text.remove_prefix(found.number == uniform ? 2 : 1);
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto number = util::parse_number<int>(digits);
  if (!number) return std::nullopt;
  found.number += *number;
  found.is_pair = text.substr(digits.size()).starts_with(".64");
  return found;
}

bool is_predicate(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('!'), text.size()));
  return text.starts_with('P') || text.starts_with("UP");
}

/// How many registers in a row one result takes.
int result_words(const Instruction& instruction) {
  constexpr int words_of_mma = 4;
  constexpr int words_of_group = 128;
  const std::string_view name = instruction.name();
  if (const auto access = access_of(instruction)) return std::max(1, access->bits / word_bits);
  if (kind_of(instruction) == Kind::tensor) return name.ends_with("GMMA") ? words_of_group : words_of_mma;
  if (instruction.has("128")) return 4;
  const bool is_packed = name == "FFMA2" || name == "FADD2" || name == "FMUL2";
  const bool is_special = name == "CS2R" && !instruction.has("32");
  const bool is_wide = instruction.has("WIDE") || instruction.has("64") || instruction.has("F64");
  return is_packed || is_special || is_wide || kind_of(instruction) == Kind::fp64 ? 2 : 1;
}

}  // namespace

Registers written_by(const Instruction& instruction) {
  Registers written;
  const std::string_view name = instruction.name();
  if (name.find("SETP") != std::string_view::npos || name.find("PLOP3") != std::string_view::npos)
    return written;                           // predicates alone
  constexpr std::size_t most_predicates = 2;  // those stand before the register
  const std::vector<std::string_view> operands = instruction.operand_list();
  for (std::size_t i = 0; i < operands.size() && i <= most_predicates; ++i) {
    if (const auto first = named(operands[i])) {
      for (int word = 0; word < result_words(instruction); ++word) written.insert(first->number + word);
      break;
    }
    if (!is_predicate(operands[i])) break;
  }
  return written;
}

bool writes_constant(const Instruction& instruction) {
  const Kind kind = kind_of(instruction);
  const std::string_view name = instruction.name();
  if (kind != Kind::constant_load && kind != Kind::move) return false;
  if (instruction.is_guarded() || name.find("S2") != std::string_view::npos) return false;
  std::string_view rest = instruction.operands;
  util::split_first(rest, ",");  // what it writes
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("[]+, -|~!"), rest.size());
    if (named(rest.substr(0, end))) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

std::optional<Registers> address_of(const Instruction& instruction) {
  if (kind_of(instruction) != Kind::global_load || instruction.has("STRONG")) return std::nullopt;
  Registers registers;
  std::string_view text = instruction.operands;
  for (bool is_descriptor = false; text.find('[') != std::string_view::npos;) {
    is_descriptor = text.substr(0, text.find('[')).ends_with("desc");
    util::split_first(text, "[");
    std::string_view inside = util::split_first(text, "]");
    while (!inside.empty()) {
      const auto found = named(util::split_first(inside, "+"));
      if (!found) continue;
      registers.insert(found->number);
      if (found->is_pair || is_descriptor) registers.insert(found->number + 1);
    }
  }
  return registers;
}

}  // namespace tuner::sass
