#include "tuner/space/relaxation.hpp"

#include <algorithm>
#include <utility>

namespace tuner::space {
namespace {

/// Of all relaxed conditions of a space: half a millisecond's work, and ten times what sgemm needs.
constexpr std::size_t most_instructions = std::size_t{1} << 18U;

}  // namespace

Relaxation::Relaxation(const CompiledSpec& compiled)
    : m_compiled(compiled), m_derived(compiled.derived.size()) {
  for (const CompiledDerived& derived : compiled.derived)
    m_derived[static_cast<std::size_t>(derived.slot - compiled.scope.derived_slot(0))] =
        parts_of(derived.value.program);
}

/// The code as the tree it was generated from. A jump that has been passed waits for the instruction that it
/// lands at.
Relaxation::Parts Relaxation::parts_of(const Program& program) {
  struct Jump {
    Op op = Op::jump;
    std::size_t left = 0;   ///< and_jump, or_jump: the part before it
    std::size_t begin = 0;  ///< where the whole begins that it is in
    std::size_t lands = 0;
  };
  Parts parts{&program, {}, 0};
  std::vector<std::size_t> stack;
  std::vector<Jump> jumps;
  const auto pop = [&] {
    const std::size_t top = stack.back();
    stack.pop_back();
    return top;
  };
  const auto push = [&](Part part) {
    stack.push_back(parts.all.size());
    parts.all.push_back(part);
  };
  const auto land = [&](std::size_t at) {
    while (!jumps.empty() && jumps.back().op != Op::jump_if_zero && jumps.back().lands == at) {
      const Jump jump = jumps.back();
      jumps.pop_back();
      const std::size_t right = pop();
      const bool is_term = jump.op == Op::jump;
      push({is_term ? Op::constant : jump.op, jump.begin, at, jump.left, right});
    }
  };
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    land(i);
    const Instruction& one = program.code[i];
    const auto target = static_cast<std::size_t>(one.argument);
    const bool closes = one.op == Op::truth && !jumps.empty() && jumps.back().lands == i + 1 &&
                        (jumps.back().op == Op::and_jump || jumps.back().op == Op::or_jump);
    if (closes) continue;
    if (one.op == Op::jump) {  // behind the first value of `c ? a : b`
      pop();
      jumps.back() = {Op::jump, 0, jumps.back().begin, target};
    } else if (is_jump(one.op)) {
      const std::size_t left = pop();
      jumps.push_back({one.op, left, parts.all[left].begin, target});
    } else if (use::makes_value(one.op)) {
      push({Op::constant, i, i + 1});
    } else {
      if (!is_unary(one.op)) pop();
      const std::size_t begin = parts.all[pop()].begin;
      push({Op::constant, begin, i + 1});
    }
  }
  land(program.code.size());
  parts.root = stack.empty() ? 0 : stack.back();
  return parts;
}

std::optional<Program> Relaxation::of(const Program& condition, const std::vector<bool>& known) {
  const Parts parts = parts_of(condition);
  Program out;
  if (parts.all.empty() || !write(parts, parts.root, known, out)) return std::nullopt;
  for (const Instruction& one : out.code)
    if (one.op == Op::load || one.op == Op::load_derived) out.reads.push_back(one.argument);
  std::ranges::sort(out.reads);
  const auto repeated = std::ranges::unique(out.reads);
  out.reads.erase(repeated.begin(), repeated.end());
  return out;
}

/// False, and nothing is written, where the part is always 1.
bool Relaxation::write(const Parts& parts, std::size_t index, const std::vector<bool>& known, Program& out) {
  const Part& part = parts.all[index];
  if (part.op == Op::constant) return write_term(parts, part, known, out);
  const bool is_or = part.op == Op::or_jump;
  const std::size_t begin = out.code.size();
  const bool has_left = write(parts, part.a, known, out);
  if (!has_left) return !is_or && write(parts, part.b, known, out);
  const std::size_t jump = out.code.size();
  out.code.push_back({part.op, 0});
  if (!write(parts, part.b, known, out)) {
    out.code.resize(is_or ? begin : jump);
    return !is_or;
  }
  out.code.push_back({Op::truth, 0});
  out.code[jump].argument = static_cast<std::int32_t>(out.code.size());
  return true;
}

bool Relaxation::write_term(const Parts& parts, const Part& term, const std::vector<bool>& known,
                            Program& out) {
  const std::vector<Instruction>& code = parts.program->code;
  const auto is_unknown = [&](const Instruction& one) {
    const bool loads = one.op == Op::load || one.op == Op::load_derived;
    return one.op == Op::load_time || (loads && !known[static_cast<std::size_t>(one.argument)]);
  };
  m_written += term.end - term.begin;
  if (m_written > most_instructions) return false;
  const auto first = code.begin() + static_cast<std::ptrdiff_t>(term.begin);
  const auto last = code.begin() + static_cast<std::ptrdiff_t>(term.end);
  if (std::any_of(first, last, is_unknown)) {
    if (term.end - term.begin > 1 || first->op != Op::load_derived) return false;
    const auto derived = static_cast<std::size_t>(first->argument - m_compiled.scope.derived_slot(0));
    const Parts& inner = m_derived[derived];
    return !inner.all.empty() && write(inner, inner.root, known, out);
  }
  const auto moved = static_cast<std::int32_t>(out.code.size()) - static_cast<std::int32_t>(term.begin);
  for (auto one = first; one != last; ++one) {
    Instruction copy = *one;
    if (is_jump(copy.op)) copy.argument += moved;
    if (copy.op == Op::constant) {
      out.literals.push_back(parts.program->literals[static_cast<std::size_t>(copy.argument)]);
      copy.argument = static_cast<std::int32_t>(out.literals.size()) - 1;
    }
    out.code.push_back(copy);
  }
  return true;
}

}  // namespace tuner::space
