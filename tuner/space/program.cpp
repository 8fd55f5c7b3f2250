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

namespace {

constexpr std::int64_t largest_root = 3037000499;  // of the largest 64-bit integer
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

Fault divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return Fault::division_by_zero;
  if (a == lowest && b == -1) return Fault::overflow;
  result = a / b;
  return Fault::none;
}

Fault remainder(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return Fault::division_by_zero;
  result = b == -1 ? 0 : a % b;  // lowest % -1 traps on x86
  return Fault::none;
}

Fault ceil_div(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return Fault::division_by_zero;
  if (b < 0) return Fault::multiple;
  result = a / b + (a % b > 0 ? 1 : 0);
  return Fault::none;
}

Fault multiply(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_mul_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}

Fault shift_left(std::int64_t a, std::int64_t count, std::int64_t& result) {
  if (count < 0 || count > 63) return Fault::shift_count;
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
  if (shifted >> count != a) return Fault::overflow;
  result = shifted;
  return Fault::none;
}

Fault set(double value, double& result) {
  result = value;
  return std::isfinite(value) ? Fault::none : Fault::not_finite;
}

}  // namespace

std::string_view describe(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "no fault";
    case Fault::division_by_zero:
      return "division by zero";
    case Fault::overflow:
      return "overflow of 64-bit integers";
    case Fault::shift_count:
      return "shift by less than 0 or more than 63";
    case Fault::logarithm:
      return "log2 of a number that is not positive";
    case Fault::square_root:
      return "sqrt of a negative number";
    case Fault::multiple:
      return "ceil_div or round_up by a negative number";
    case Fault::not_finite:
      return "result beyond the range of double";
  }
  return "unknown fault";
}

Fault apply_unary(Op op, std::int64_t a, std::int64_t& result) {
  switch (op) {
    case Op::negate:
      if (a == lowest) return Fault::overflow;
      result = -a;
      return Fault::none;
    case Op::absolute:
      if (a == lowest) return Fault::overflow;
      result = a < 0 ? -a : a;
      return Fault::none;
    case Op::is_pow2:
      result = a > 0 && (a & (a - 1)) == 0 ? 1 : 0;
      return Fault::none;
    case Op::log2:
      if (a <= 0) return Fault::logarithm;
      result = 63 - __builtin_clzll(static_cast<unsigned long long>(a));
      return Fault::none;
    case Op::square_root: {
      if (a < 0) return Fault::square_root;
      result = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
      while (result > largest_root || result * result > a) --result;
      while (result < largest_root && (result + 1) * (result + 1) <= a) ++result;
      return Fault::none;
    }
    case Op::logical_not:
      result = a == 0 ? 1 : 0;
      return Fault::none;
    default:
      result = a != 0 ? 1 : 0;
      return Fault::none;  // truth
  }
}

Fault apply_binary(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (op) {
    case Op::add:
      return __builtin_add_overflow(a, b, &result) ? Fault::overflow : Fault::none;
    case Op::subtract:
      return __builtin_sub_overflow(a, b, &result) ? Fault::overflow : Fault::none;
    case Op::multiply:
      return multiply(a, b, result);
    case Op::divide:
      return divide(a, b, result);
    case Op::remainder:
      return remainder(a, b, result);
    case Op::equal:
      result = a == b ? 1 : 0;
      return Fault::none;
    case Op::not_equal:
      result = a != b ? 1 : 0;
      return Fault::none;
    case Op::less:
      result = a < b ? 1 : 0;
      return Fault::none;
    case Op::less_equal:
      result = a <= b ? 1 : 0;
      return Fault::none;
    case Op::greater:
      result = a > b ? 1 : 0;
      return Fault::none;
    case Op::greater_equal:
      result = a >= b ? 1 : 0;
      return Fault::none;
    case Op::bit_and:
      result = a & b;
      return Fault::none;
    case Op::bit_or:
      result = a | b;
      return Fault::none;
    case Op::bit_xor:
      result = a ^ b;
      return Fault::none;
    case Op::shift_left:
      return shift_left(a, b, result);
    case Op::shift_right:
      if (b < 0 || b > 63) return Fault::shift_count;
      result = a >> b;
      return Fault::none;
    case Op::minimum:
      result = a < b ? a : b;
      return Fault::none;
    case Op::maximum:
      result = a > b ? a : b;
      return Fault::none;
    case Op::ceil_div:
      return ceil_div(a, b, result);
    default: {  // round_up
      std::int64_t multiples = 0;
      const Fault fault = ceil_div(a, b, multiples);
      return fault != Fault::none ? fault : multiply(multiples, b, result);
    }
  }
}

Fault apply_unary(Op op, double a, double& result) {
  switch (op) {
    case Op::negate:
      return set(-a, result);
    case Op::absolute:
      return set(std::fabs(a), result);
    case Op::is_pow2: {
      int exponent = 0;
      return set(a >= 1 && std::frexp(a, &exponent) == 0.5 ? 1 : 0, result);
    }
    case Op::log2:
      if (!(a > 0)) return Fault::logarithm;
      return set(std::log2(a), result);
    case Op::square_root:
      if (!(a >= 0)) return Fault::square_root;
      return set(std::sqrt(a), result);
    case Op::logical_not:
      return set(a == 0 ? 1 : 0, result);
    default:
      return set(a != 0 ? 1 : 0, result);  // truth
  }
}

Fault apply_binary(Op op, double a, double b, double& result) {
  const bool divides = op == Op::divide || op == Op::remainder || op == Op::ceil_div || op == Op::round_up;
  if (divides && b == 0) return Fault::division_by_zero;
  switch (op) {
    case Op::add:
      return set(a + b, result);
    case Op::subtract:
      return set(a - b, result);
    case Op::multiply:
      return set(a * b, result);
    case Op::divide:
      return set(a / b, result);
    case Op::remainder:
      return set(std::fmod(a, b), result);
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
      return set(std::fmin(a, b), result);
    case Op::maximum:
      return set(std::fmax(a, b), result);
    case Op::ceil_div:
      return b < 0 ? Fault::multiple : set(std::ceil(a / b), result);
    default:
      return b < 0 ? Fault::multiple : set(std::ceil(a / b) * b, result);  // round_up
  }
}

}  // namespace tuner::space
