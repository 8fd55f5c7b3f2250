#include <cmath>
#include <cstring>
#include <limits>

#include "tuner/use/pack_view.hpp"

// The same arithmetic as tuner/space/program.cpp: tests/use holds the two against each other.
namespace tuner::use {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest_root = 3037000499;  // of the largest 64-bit integer

std::uint32_t operand_bytes(Op op) {
  if (op == Op::integer || op == Op::real) return 8;
  if (op == Op::load) return 1;
  return op >= Op::jump ? 2 : 0;
}

bool is_unary(Op op) {
  return op >= Op::negate && op <= Op::truth;
}

bool is_for_bits(Op op) {
  return op >= Op::bit_and && op <= Op::shift_right;
}

std::uint32_t jump_target(const std::uint8_t* operand) {
  return operand[0] | std::uint32_t{operand[1]} << 8;
}

bool is_readable(std::uint32_t variable, const Readable& readable) {
  if (variable >= first_derived) return variable - first_derived < readable.derived;
  if (variable >= first_limit) return variable - first_limit < limit_count;
  return variable < readable.sizes;
}

}  // namespace

bool is_sound(const std::uint8_t* code, std::uint32_t bytes, bool is_real, const Readable& readable) {
  if (bytes == 0 || bytes > most_code_bytes) return false;
  constexpr std::int16_t unknown = -1;
  std::int16_t depth_at[most_code_bytes + 1];  // of the stack, where a jump leads
  for (std::uint32_t i = 0; i <= bytes; ++i) depth_at[i] = unknown;
  int depth = 0;
  bool is_reached = true;
  const auto arrive = [&](std::uint32_t at) {
    if (depth_at[at] == unknown) return is_reached;
    if (is_reached && depth != depth_at[at]) return false;
    depth = depth_at[at];
    return is_reached = true;
  };
  std::uint32_t at = 0;
  while (at < bytes) {
    if (!arrive(at) || code[at] > static_cast<std::uint8_t>(last_op)) return false;
    const Op op = static_cast<Op>(code[at]);
    const std::uint32_t next = at + 1 + operand_bytes(op);
    if (next > bytes) return false;
    for (std::uint32_t inside = at + 1; inside < next; ++inside) {
      if (depth_at[inside] != unknown) return false;
    }
    const std::uint8_t* const operand = code + at + 1;
    if (op == Op::real && !is_real) return false;
    if (is_real && is_for_bits(op)) return false;
    if (op == Op::load && !is_readable(*operand, readable)) return false;
    if (op <= Op::load) {
      if (++depth > static_cast<int>(stack_limit)) return false;
    } else if (op >= Op::jump) {
      if (op != Op::jump && depth < 1) return false;
      if (op == Op::jump_if_zero) --depth;
      const std::uint32_t target = jump_target(operand);
      if (target < next || target > bytes) return false;
      if (depth_at[target] != unknown && depth_at[target] != depth) return false;
      depth_at[target] = static_cast<std::int16_t>(depth);
      if (op == Op::and_jump || op == Op::or_jump) --depth;
      if (op == Op::jump) is_reached = false;
    } else {
      if (depth < (is_unary(op) ? 1 : 2)) return false;
      if (!is_unary(op)) --depth;
    }
    at = next;
  }
  return arrive(bytes) && depth == 1;
}

const char* describe(Fault fault) {
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

namespace {

Fault ceil_div(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return Fault::division_by_zero;
  if (b < 0) return Fault::multiple;
  result = a / b + (a % b > 0 ? 1 : 0);
  return Fault::none;
}

Fault shift_left(std::int64_t a, std::int64_t count, std::int64_t& result) {
  if (count < 0 || count > 63) return Fault::shift_count;
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
  if (shifted >> count != a) return Fault::overflow;
  result = shifted;
  return Fault::none;
}

Fault root(std::int64_t a, std::int64_t& result) {
  if (a < 0) return Fault::square_root;
  result = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  while (result > largest_root || result * result > a) --result;
  while (result < largest_root && (result + 1) * (result + 1) <= a) ++result;
  return Fault::none;
}

Fault set(double value, double& result) {
  result = value;
  return std::isfinite(value) ? Fault::none : Fault::not_finite;
}

Fault set(std::int64_t value, std::int64_t& result) {
  result = value;
  return Fault::none;
}

Fault overflow_if(bool overflows) {
  return overflows ? Fault::overflow : Fault::none;
}

Fault apply(Op op, std::int64_t a, std::int64_t& result) {
  switch (op) {
    case Op::negate:
      return a == lowest ? Fault::overflow : set(-a, result);
    case Op::absolute:
      return a == lowest ? Fault::overflow : set(a < 0 ? -a : a, result);
    case Op::is_pow2:
      return set(std::int64_t{a > 0 && (a & (a - 1)) == 0}, result);
    case Op::log2:
      return a <= 0 ? Fault::logarithm
                    : set(std::int64_t{63 - __builtin_clzll(static_cast<unsigned long long>(a))}, result);
    case Op::square_root:
      return root(a, result);
    case Op::logical_not:
      return set(std::int64_t{a == 0}, result);
    default:
      return set(std::int64_t{a != 0}, result);  // truth
  }
}

Fault apply(Op op, double a, double& result) {
  int exponent = 0;
  switch (op) {
    case Op::negate:
      return set(-a, result);
    case Op::absolute:
      return set(std::fabs(a), result);
    case Op::is_pow2:
      return set(a >= 1 && std::frexp(a, &exponent) == 0.5 ? 1.0 : 0.0, result);
    case Op::log2:
      return a > 0 ? set(std::log2(a), result) : Fault::logarithm;
    case Op::square_root:
      return a >= 0 ? set(std::sqrt(a), result) : Fault::square_root;
    case Op::logical_not:
      return set(a == 0 ? 1.0 : 0.0, result);
    default:
      return set(a != 0 ? 1.0 : 0.0, result);  // truth
  }
}

Fault apply(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (op) {
    case Op::add:
      return overflow_if(__builtin_add_overflow(a, b, &result));
    case Op::subtract:
      return overflow_if(__builtin_sub_overflow(a, b, &result));
    case Op::multiply:
      return overflow_if(__builtin_mul_overflow(a, b, &result));
    case Op::divide:
      if (b == 0) return Fault::division_by_zero;
      return a == lowest && b == -1 ? Fault::overflow : set(a / b, result);
    case Op::remainder:
      if (b == 0) return Fault::division_by_zero;
      return set(b == -1 ? 0 : a % b, result);  // lowest % -1 traps on x86
    case Op::bit_and:
      return set(a & b, result);
    case Op::bit_or:
      return set(a | b, result);
    case Op::bit_xor:
      return set(a ^ b, result);
    case Op::shift_left:
      return shift_left(a, b, result);
    case Op::shift_right:
      return b < 0 || b > 63 ? Fault::shift_count : set(a >> b, result);
    case Op::minimum:
      return set(a < b ? a : b, result);
    case Op::maximum:
      return set(a > b ? a : b, result);
    case Op::ceil_div:
      return ceil_div(a, b, result);
    default: {  // round_up
      std::int64_t multiples = 0;
      const Fault fault = ceil_div(a, b, multiples);
      return fault != Fault::none ? fault : overflow_if(__builtin_mul_overflow(multiples, b, &result));
    }
  }
}

Fault apply(Op op, double a, double b, double& result) {
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

template <typename As>
As read(const std::uint8_t* bytes) {
  As value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// One loop for both kinds of arithmetic, so that they differ in nothing but the operators.
template <typename Number>
Fault run(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables, Number& value) {
  Number stack[stack_limit];
  Number* top = stack - 1;
  const std::uint8_t* at = code;
  const std::uint8_t* const end = code + bytes;
  const auto compared = [&](bool holds) { *top = holds ? 1 : 0; };
  while (at != end) {
    const Op op = static_cast<Op>(*at++);
    switch (op) {
      case Op::integer:
        *++top = static_cast<Number>(read<std::int64_t>(at));
        at += 8;
        break;
      case Op::real:
        *++top = static_cast<Number>(read<double>(at));
        at += 8;
        break;
      case Op::load: {
        const std::uint8_t variable = *at++;
        if (variable >= first_derived && variables.faults[variable] != Fault::none)
          return variables.faults[variable];
        *++top = static_cast<Number>(variables.values[variable]);
        break;
      }
      case Op::equal:
        --top;
        compared(top[0] == top[1]);
        break;
      case Op::not_equal:
        --top;
        compared(top[0] != top[1]);
        break;
      case Op::less:
        --top;
        compared(top[0] < top[1]);
        break;
      case Op::less_equal:
        --top;
        compared(top[0] <= top[1]);
        break;
      case Op::greater:
        --top;
        compared(top[0] > top[1]);
        break;
      case Op::greater_equal:
        --top;
        compared(top[0] >= top[1]);
        break;
      case Op::jump:
        at = code + jump_target(at);
        break;
      case Op::jump_if_zero:
        at = *top-- == 0 ? code + jump_target(at) : at + 2;
        break;
      case Op::and_jump:
        if (*top == 0) {
          at = code + jump_target(at);
        } else {
          --top;
          at += 2;
        }
        break;
      case Op::or_jump:
        if (*top != 0) {
          *top = 1;
          at = code + jump_target(at);
        } else {
          --top;
          at += 2;
        }
        break;
      default: {
        const bool is_one = is_unary(op);
        if (!is_one) --top;
        const Fault fault = is_one ? apply(op, *top, *top) : apply(op, top[0], top[1], top[0]);
        if (fault != Fault::none) return fault;
      }
    }
  }
  value = *top;
  return Fault::none;
}

/// Of numbers that are whole and small enough to be exact; false for others.
bool whole_remainder(double a, double b, double& result) {
  constexpr double most = 9007199254740992;  // 2^53
  if (!(a >= 0 && a < most && b >= 1 && b < most)) return false;
  const auto whole_a = static_cast<std::int64_t>(a);
  const auto whole_b = static_cast<std::int64_t>(b);
  const bool is_power = (whole_b & (whole_b - 1)) == 0;  // as all that rules ask for
  result = static_cast<double>(is_power ? whole_a & (whole_b - 1) : whole_a % whole_b);
  return static_cast<double>(whole_a) == a && static_cast<double>(whole_b) == b;
}

}  // namespace

bool ask_sizes(const std::uint8_t* code, std::uint32_t bytes, const std::int64_t* sizes, bool& holds) {
  if (static_cast<Op>(code[0]) != Op::load || code[1] >= first_limit) return false;
  auto value = static_cast<double>(sizes[code[1]]);
  for (const std::uint8_t *at = code + 2, *const end = code + bytes; at != end;) {
    double with = 0;
    if (static_cast<Op>(*at) == Op::real) {
      with = read<double>(at + 1);
      at += 9;
    } else if (static_cast<Op>(*at) == Op::load && at[1] < first_limit) {
      with = static_cast<double>(sizes[at[1]]);
      at += 2;
    } else {
      return false;
    }
    const Op op = static_cast<Op>(*at++);
    if (op == Op::less_equal) {
      holds = value <= with;
      return at == end;
    }
    if (op == Op::multiply)
      value *= with;
    else if (op == Op::minimum)
      value = with < value ? with : value;
    else if (op == Op::maximum)
      value = with > value ? with : value;
    else if (op == Op::divide && with != 0)
      value /= with;
    else if (op != Op::remainder || !whole_remainder(value, with, value))
      return false;
    if (!std::isfinite(value)) return false;
  }
  return false;
}

Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables,
               std::int64_t& value) {
  return run(code, bytes, variables, value);
}

Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables, double& value) {
  return run(code, bytes, variables, value);
}

}  // namespace tuner::use
