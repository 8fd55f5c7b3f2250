#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace tuner::space {

/// Why an expression has no value.
enum class Fault : std::uint8_t {
  none,
  division_by_zero,
  overflow,
  shift_count,
  logarithm,
  square_root,
  multiple,
  not_finite
};

/// `division by zero`, …: as it appears in a Rejection.
std::string_view describe(Fault fault);

enum class Op : std::uint8_t {
  // What a value is made from; the argument is an index.
  constant,      ///< literals[argument]
  load,          ///< slots.values[argument], which always has a value
  load_derived,  ///< slots.values[argument], which may have a fault instead
  load_time,
  // Unary operators, on the top of the stack.
  negate,
  logical_not,
  absolute,
  is_pow2,
  log2,
  square_root,  ///< of integers rounded down
  truth,        ///< 0 or 1
  // Binary operators, on the two topmost.
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  minimum,
  maximum,
  ceil_div,
  round_up,
  // Control; the argument is the instruction to go on with.
  jump,
  jump_if_zero,  ///< takes the condition off the stack
  and_jump,      ///< where the top is zero leaves 0 and jumps, else takes it off
  or_jump,       ///< where the top is not zero leaves 1 and jumps, else takes it off
};

constexpr bool is_unary(Op op) {
  return op >= Op::negate && op <= Op::truth;
}
constexpr bool is_jump(Op op) {
  return op >= Op::jump;
}

struct Instruction {
  Op op = Op::constant;
  std::int32_t argument = 0;
  bool operator==(const Instruction&) const = default;
};

/// A number as both kinds of arithmetic see it.
struct Literal {
  std::int64_t integer = 0;
  double real = 0;
};

/// A compiled expression: code for a stack machine. Made by generate() alone, which guarantees that the code
/// is well formed and needs at most `stack_limit` values at a time.
struct Program {
  static constexpr int stack_limit = 256;
  std::vector<Instruction> code;
  std::vector<Literal> literals;
  std::vector<int> reads;  ///< slots, each once, ascending
};

/// The value of every name an expression may mention; which name has which slot is Scope's business.
struct Slots {
  std::vector<std::int64_t> values;
  std::vector<Fault> faults;  ///< not none only for derived values that are undefined
  double time_ns = 0;
};

/// A value, or the reason why there is none.
template <typename Number>
struct Evaluated {
  Number value = 0;
  Fault fault = Fault::none;
  int slot = -1;  ///< the derived value that brought the fault in; -1: it happened here
};

Evaluated<std::int64_t> evaluate(const Program& program, const Slots& slots);
Evaluated<double> evaluate_real(const Program& program, const Slots& slots);

}  // namespace tuner::space
