#include "tuner/space/descent.hpp"

#include <algorithm>
#include <utility>

namespace tuner::space {
namespace {

/// Of all relaxed conditions of a space: half a millisecond's work, and ten times what sgemm needs.
constexpr std::size_t most_instructions = std::size_t{1} << 18U;

/// Tests what is known so far of conditions that read more. A condition of many alternatives, such as
/// `a && b || c && d`, says little until its last name is set; but once each alternative has a term that is
/// false, no value of the rest makes it true.
class Relaxation {
 public:
  /// `compiled` must outlive the object.
  explicit Relaxation(const CompiledSpec& compiled)
      : m_compiled(compiled), m_derived(compiled.derived.size()) {
    for (const CompiledDerived& derived : compiled.derived)
      m_derived[static_cast<std::size_t>(derived.slot - compiled.scope.derived_slot(0))] =
          parts_of(derived.value.program);
  }

  /// `condition` with 1 for each term that reads a slot not `known`; a term is what stands beside `&&` and
  /// `||`, also within derived values that are not known. Where its value is 0, `condition` is 0 or undefined
  /// whatever the rest will be; a fault says nothing. Nothing where it is always 1, or the spec's conditions
  /// are too large to be worth it.
  std::optional<Program> of(const Program& condition, const std::vector<bool>& known) {
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

 private:
  /// A part of a program: a term, or two parts with `&&` or `||` between them.
  struct Part {
    Op op = Op::constant;  ///< and_jump or or_jump; else a term
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t a = 0;  ///< indices into Parts::all
    std::size_t b = 0;
  };
  struct Parts {
    const Program* program = nullptr;
    std::vector<Part> all;
    std::size_t root = 0;
  };
  /// The code as the tree it was generated from. A jump that has been passed waits for the instruction that
  /// it lands at.
  static Parts parts_of(const Program& program) {
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

  /// False, and nothing is written, where the part is always 1.
  bool write(const Parts& parts, std::size_t index, const std::vector<bool>& known, Program& out) {
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

  bool write_term(const Parts& parts, const Part& term, const std::vector<bool>& known, Program& out) {
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

  const CompiledSpec& m_compiled;
  std::vector<Parts> m_derived;  ///< by slot, from the first of a derived value
  std::size_t m_written = 0;     ///< instructions, in all
};

}  // namespace

Descent::Descent(const CompiledSpec& compiled, const model::Problem& problem,
                 const model::DeviceLimits& limits)
    : m_compiled(compiled), m_slots(problem_slots(compiled, problem, limits)) {
  for (std::size_t i = 0; i < compiled.parameters.size(); ++i) {
    Level level;
    level.parameter = &compiled.parameters[i];
    level.slot = static_cast<std::size_t>(compiled.scope.parameter_slot(static_cast<int>(i)));
    m_levels.push_back(std::move(level));
  }
  m_coordinates.resize(m_levels.size());
  // Derived values first: the others of the same level may read them.
  schedule_derived();
  schedule_whens();
  schedule_constraints();
  schedule_relaxed();
}

std::size_t Descent::known_after(const Program& program) const {
  const Scope& scope = m_compiled.scope;
  std::size_t after = 0;
  for (const int slot : program.reads) {
    if (scope.is_parameter(slot)) {
      after = std::max(after, static_cast<std::size_t>(slot - scope.parameter_slot(0)) + 1);
    }
    if (scope.is_derived(slot)) {
      after = std::max(after, m_derived_after[static_cast<std::size_t>(slot - scope.derived_slot(0))]);
    }
  }
  return after;
}

void Descent::schedule_derived() {
  m_derived_after.resize(m_compiled.derived.size());
  std::vector<bool> needed(static_cast<std::size_t>(m_compiled.scope.slots()), false);
  const auto mark = [&](const Program& program) {
    for (const int slot : program.reads) needed[static_cast<std::size_t>(slot)] = true;
  };
  for (const Compiled& constraint : m_compiled.constraints) mark(constraint.program);
  for (const CompiledParameter& parameter : m_compiled.parameters) {
    if (parameter.when) mark(parameter.when->program);
  }
  for (auto derived = m_compiled.derived.rbegin(); derived != m_compiled.derived.rend(); ++derived) {
    if (needed[static_cast<std::size_t>(derived->slot)]) mark(derived->value.program);
  }
  for (const CompiledDerived& derived : m_compiled.derived) {
    const std::size_t after = known_after(derived.value.program);
    m_derived_after[static_cast<std::size_t>(derived.slot - m_compiled.scope.derived_slot(0))] = after;
    if (needed[static_cast<std::size_t>(derived.slot)]) {
      actions_after(after).push_back({Action::Kind::derive, &derived});
    }
  }
}

void Descent::schedule_whens() {
  for (std::size_t i = 0; i < m_levels.size(); ++i) {
    if (!m_levels[i].parameter->when) continue;
    const Program& when = m_levels[i].parameter->when->program;
    const std::size_t after = known_after(when);
    m_levels[i].decided = after <= i;
    if (!m_levels[i].decided) actions_after(after).push_back({Action::Kind::activity, nullptr, &when, i});
  }
}

void Descent::schedule_constraints() {
  for (const Compiled& constraint : m_compiled.constraints) {
    actions_after(known_after(constraint.program))
        .push_back({Action::Kind::constraint, nullptr, &constraint.program});
  }
}

std::vector<bool> Descent::known_with(std::size_t parameters) const {
  const Scope& scope = m_compiled.scope;
  std::vector<bool> known(static_cast<std::size_t>(scope.slots()), true);
  for (std::size_t i = parameters; i < m_levels.size(); ++i) known[m_levels[i].slot] = false;
  for (std::size_t i = 0; i < m_derived_after.size(); ++i)
    known[static_cast<std::size_t>(scope.derived_slot(static_cast<int>(i)))] =
        m_derived_after[i] <= parameters;
  return known;
}

void Descent::schedule_relaxed() {
  Relaxation relaxation(m_compiled);
  std::vector<std::vector<bool>> known;
  for (std::size_t i = 0; i < m_levels.size(); ++i) known.push_back(known_with(i));
  for (const Compiled& constraint : m_compiled.constraints) {
    const std::size_t whole_after = known_after(constraint.program);
    const Program* last = nullptr;
    for (std::size_t after = 0; after < whole_after; ++after) {
      auto relaxed = relaxation.of(constraint.program, known[after]);
      if (!relaxed || (last != nullptr && relaxed->code == last->code)) continue;
      last = &m_relaxed.emplace_back(std::move(*relaxed));
      actions_after(after).push_back({Action::Kind::relaxed, nullptr, last});
    }
  }
}

Descent::Choices Descent::choices(const Level& level) const {
  if (!level.parameter->when) return {false, true};
  if (!level.decided) return {true, true};
  const Evaluated<std::int64_t> active = evaluate(level.parameter->when->program, m_slots);
  if (active.fault != Fault::none) return {false, false};
  return {active.value == 0, active.value != 0};
}

bool Descent::set(std::size_t level, std::uint16_t coordinate, std::int64_t value) {
  m_coordinates[level] = coordinate;
  m_slots.values[m_levels[level].slot] = value;
  return passes(m_levels[level].actions);
}

bool Descent::passes(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (action.kind == Action::Kind::derive) {
      derive(*action.derived, m_slots);
      continue;
    }
    const Evaluated<std::int64_t> result = evaluate(*action.program, m_slots);
    const bool holds = result.value != 0;
    if (action.kind == Action::Kind::relaxed) {
      if (result.fault == Fault::none && !holds) return false;
      continue;
    }
    if (result.fault != Fault::none) return false;
    if (action.kind == Action::Kind::constraint && !holds) return false;
    if (action.kind == Action::Kind::activity) {
      const bool active = m_coordinates[action.parameter] != ConfigurationList::inactive;
      if (active != holds) return false;
    }
  }
  return true;
}

bool Descent::set_all(std::span<const std::uint16_t> coordinates) {
  for (std::size_t i = 0; i < m_levels.size(); ++i)
    if (!set(i, coordinates[i], m_levels[i].parameter->codes[coordinates[i]])) return false;
  return true;
}

}  // namespace tuner::space
