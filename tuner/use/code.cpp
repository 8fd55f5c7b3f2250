#include <cmath>
#include <cstring>

#include "tuner/use/pack_view.hpp"

namespace tuner::use {
namespace {

std::uint32_t operand_bytes(Op op) {
  if (op == Op::integer || op == Op::real) return 8;
  if (op == Op::load) return 1;
  return is_jump(op) ? 2 : 0;
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

namespace {

template <typename As>
As read(const std::uint8_t* bytes) {
  As value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// The bytes of code, for run().
class Cursor {
 public:
  Cursor(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables)
      : m_variables(variables), m_code(code), m_at(code), m_end(code + bytes) {}

  bool is_over() const { return m_at == m_end; }
  Op next() { return static_cast<Op>(*m_at++); }
  void take() { m_at = m_code + jump_target(m_at); }
  void pass() { m_at += 2; }

  template <typename Number>
  Fault make(Op op, Number& value) {
    if (op == Op::load) {
      const std::uint8_t variable = *m_at++;
      value = static_cast<Number>(m_variables.values[variable]);
      return variable >= first_derived ? m_variables.faults[variable] : Fault::none;
    }
    value = op == Op::real ? static_cast<Number>(read<double>(m_at))
                           : static_cast<Number>(read<std::int64_t>(m_at));
    m_at += 8;
    return Fault::none;
  }

 private:
  const Variables& m_variables;
  const std::uint8_t* m_code;
  const std::uint8_t* m_at;
  const std::uint8_t* m_end;
};

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
  Cursor cursor(code, bytes, variables);
  return run(cursor, value);
}

Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables, double& value) {
  Cursor cursor(code, bytes, variables);
  return run(cursor, value);
}

}  // namespace tuner::use
