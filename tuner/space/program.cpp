#include "tuner/space/program.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

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

constexpr std::int64_t largest_root = 3037000499;  // of the largest 64-bit integer
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

Fault set(std::int64_t value, std::int64_t& result) {
  result = value;
  return Fault::none;
}

Fault set(double value, double& result) {
  result = value;
  return std::isfinite(value) ? Fault::none : Fault::not_finite;
}

// Operators that the two kinds of arithmetic do not share. `result` may only be used where the Fault is none.

Fault negate(std::int64_t a, std::int64_t& result) {
  return a == lowest ? Fault::overflow : set(-a, result);
}
Fault negate(double a, double& result) {
  return set(-a, result);
}

Fault absolute(std::int64_t a, std::int64_t& result) {
  return a == lowest ? Fault::overflow : set(a < 0 ? -a : a, result);
}
Fault absolute(double a, double& result) {
  return set(std::fabs(a), result);
}

Fault is_pow2(std::int64_t a, std::int64_t& result) {
  return set(a > 0 && (a & (a - 1)) == 0 ? 1 : 0, result);
}
Fault is_pow2(double a, double& result) {
  int exponent = 0;
  return set(a >= 1 && std::frexp(a, &exponent) == 0.5 ? 1 : 0, result);
}

Fault log2(std::int64_t a, std::int64_t& result) {
  return set(63 - __builtin_clzll(static_cast<unsigned long long>(a)), result);
}
Fault log2(double a, double& result) {
  return set(std::log2(a), result);
}

Fault square_root(std::int64_t a, std::int64_t& result) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  while (root > largest_root || root * root > a) --root;
  while (root < largest_root && (root + 1) * (root + 1) <= a) ++root;
  return set(root, result);
}
Fault square_root(double a, double& result) {
  return set(std::sqrt(a), result);
}

Fault add(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_add_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}
Fault add(double a, double b, double& result) {
  return set(a + b, result);
}

Fault subtract(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_sub_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}
Fault subtract(double a, double b, double& result) {
  return set(a - b, result);
}

Fault multiply(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_mul_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}
Fault multiply(double a, double b, double& result) {
  return set(a * b, result);
}

Fault divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return a == lowest && b == -1 ? Fault::overflow : set(a / b, result);
}
Fault divide(double a, double b, double& result) {
  return set(a / b, result);
}

Fault remainder(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return set(b == -1 ? 0 : a % b, result);  // lowest % -1 traps on x86
}
Fault remainder(double a, double b, double& result) {
  return set(std::fmod(a, b), result);
}

Fault ceil_div(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return set(a / b + (a % b > 0 ? 1 : 0), result);
}
Fault ceil_div(double a, double b, double& result) {
  return set(std::ceil(a / b), result);
}

Fault shift_left(std::int64_t a, std::int64_t count, std::int64_t& result) {
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
  return shifted >> count != a ? Fault::overflow : set(shifted, result);
}

Fault apply_to_bits(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (op == Op::bit_and) return set(a & b, result);
  if (op == Op::bit_or) return set(a | b, result);
  if (op == Op::bit_xor) return set(a ^ b, result);
  if (b < 0 || b > 63) return Fault::shift_count;
  return op == Op::shift_left ? shift_left(a, b, result) : set(a >> b, result);
}

template <typename Number>
Fault apply_unary(Op op, Number a, Number& result) {
  switch (op) {
    case Op::negate:
      return negate(a, result);
    case Op::absolute:
      return absolute(a, result);
    case Op::is_pow2:
      return is_pow2(a, result);
    case Op::log2:
      return a > 0 ? log2(a, result) : Fault::logarithm;
    case Op::square_root:
      return a >= 0 ? square_root(a, result) : Fault::square_root;
    case Op::logical_not:
      return set(a == 0 ? 1 : 0, result);
    default:
      return set(a != 0 ? 1 : 0, result);  // truth
  }
}

template <typename Number>
Fault apply_binary(Op op, Number a, Number b, Number& result) {
  switch (op) {
    case Op::add:
      return add(a, b, result);
    case Op::subtract:
      return subtract(a, b, result);
    case Op::multiply:
      return multiply(a, b, result);
    case Op::divide:
      return b == 0 ? Fault::division_by_zero : divide(a, b, result);
    case Op::remainder:
      return b == 0 ? Fault::division_by_zero : remainder(a, b, result);
    case Op::equal:
      return set(a == b ? 1 : 0, result);
    case Op::not_equal:
      return set(a != b ? 1 : 0, result);
    case Op::less:
      return set(a < b ? 1 : 0, result);
    case Op::less_equal:
      return set(a <= b ? 1 : 0, result);
    case Op::greater:
      return set(a > b ? 1 : 0, result);
    case Op::greater_equal:
      return set(a >= b ? 1 : 0, result);
    case Op::minimum:
      return set(a < b ? a : b, result);
    case Op::maximum:
      return set(a > b ? a : b, result);
    case Op::ceil_div:
    case Op::round_up: {
      if (b <= 0) return b == 0 ? Fault::division_by_zero : Fault::multiple;
      Number multiples = 0;
      const Fault fault = ceil_div(a, b, multiples);
      if (fault != Fault::none) return fault;
      return op == Op::ceil_div ? set(multiples, result) : multiply(multiples, b, result);
    }
    default:
      break;
  }
  if constexpr (std::is_same_v<Number, std::int64_t>) return apply_to_bits(op, a, b, result);
  return Fault::none;  // the code generator refuses operations on bits in double precision
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
      default: {
        if (!is_unary(at->op)) --top;
        const Fault fault =
            is_unary(at->op) ? apply_unary(at->op, *top, *top) : apply_binary(at->op, top[0], top[1], top[0]);
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

std::string_view describe(Fault fault) {
  constexpr std::string_view words[] = {"no fault",
                                        "division by zero",
                                        "overflow of 64-bit integers",
                                        "shift by less than 0 or more than 63",
                                        "log2 of a number that is not positive",
                                        "sqrt of a negative number",
                                        "ceil_div or round_up by a negative number",
                                        "result beyond the range of double"};
  return words[static_cast<std::size_t>(fault)];
}

}  // namespace tuner::space
