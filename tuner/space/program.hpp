#pragma once
#include <cstdint>
#include <vector>

#include "tuner/use/arithmetic.hpp"

namespace tuner::space {

using use::describe;
using use::Fault;
using use::is_jump;
using use::is_unary;
using use::Op;

/// The argument of Op::constant is a place among the literals, of a load a slot, of a jump the instruction to
/// go on with.
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
  static constexpr int stack_limit = use::stack_limit;
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

  bool holds() const { return fault == Fault::none && value != 0; }
  bool is_zero() const { return fault == Fault::none && value == 0; }
};

Evaluated<std::int64_t> evaluate(const Program& program, const Slots& slots);
Evaluated<double> evaluate_real(const Program& program, const Slots& slots);

}  // namespace tuner::space
