#include "tuner/space/program.hpp"

#include <array>
#include <cstddef>

#include "tuner/space/arithmetic.hpp"

namespace tuner::space {
namespace {

template <typename Number>
Number literal(const Literal& both) {
  if constexpr (std::is_same_v<Number, double>) {
    return both.real;
  } else {
    return both.integer;
  }
}

/// One loop for both kinds of arithmetic, so that they cannot drift apart in anything but the operators.
template <typename Number>
Evaluated<Number> run(const Program& program, const Slots& slots) {
  std::array<Number, Program::stack_limit> stack;  // not cleared: a constraint takes tens of nanoseconds
  Number* top = stack.data() - 1;
  const Instruction* const begin = program.code.data();
  const Instruction* const end = begin + program.code.size();
  for (const Instruction* at = begin; at != end; ++at) {
    const auto argument = static_cast<std::size_t>(at->argument);
    switch (at->op) {
      case Op::constant:
        *++top = literal<Number>(program.literals[argument]);
        break;
      case Op::load:
        *++top = static_cast<Number>(slots.values[argument]);
        break;
      case Op::load_derived:
        if (slots.faults[argument] != Fault::none) return {0, slots.faults[argument], at->argument};
        *++top = static_cast<Number>(slots.values[argument]);
        break;
      case Op::load_time:
        *++top = static_cast<Number>(slots.time_ns);
        break;
      case Op::jump:
        at = begin + argument - 1;
        break;
      case Op::jump_if_zero:
        if (*top-- == 0) at = begin + argument - 1;
        break;
      case Op::and_jump:
        if (*top == 0) {
          at = begin + argument - 1;
        } else {
          --top;
        }
        break;
      case Op::or_jump:
        if (*top != 0) {
          *top = 1;
          at = begin + argument - 1;
        } else {
          --top;
        }
        break;
      case Op::negate:
      case Op::logical_not:
      case Op::absolute:
      case Op::is_pow2:
      case Op::log2:
      case Op::square_root:
      case Op::truth: {
        const Fault fault = apply_unary(at->op, *top, *top);
        if (fault != Fault::none) return {0, fault, -1};
        break;
      }
      default: {
        --top;
        const Fault fault = apply_binary(at->op, top[0], top[1], top[0]);
        if (fault != Fault::none) return {0, fault, -1};
      }
    }
  }
  return {*top, Fault::none, -1};
}

}  // namespace

Evaluated<std::int64_t> evaluate(const Program& program, const Slots& slots) {
  return run<std::int64_t>(program, slots);
}

Evaluated<double> evaluate_real(const Program& program, const Slots& slots) {
  return run<double>(program, slots);
}

}  // namespace tuner::space
