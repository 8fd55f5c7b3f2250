#include <cstddef>
#include <type_traits>

#include "tuner/space/expression.hpp"

namespace tuner::space {
namespace {

/// The instructions of a program, for use::run().
class Cursor {
 public:
  Cursor(const Program& program, const Slots& slots)
      : m_program(program), m_slots(slots), m_at(program.code.data()), m_end(m_at + program.code.size()) {}

  bool is_over() const { return m_at == m_end; }
  Op next() { return (m_at++)->op; }
  void take() { m_at = m_program.code.data() + m_at[-1].argument; }
  void pass() {}

  template <typename Number>
  Fault make(Op op, Number& value) {
    const auto argument = static_cast<std::size_t>(m_at[-1].argument);
    if (op == Op::load) {
      value = static_cast<Number>(m_slots.values[argument]);
    } else if (op == Op::constant) {
      if constexpr (std::is_same_v<Number, double>)
        value = m_program.literals[argument].real;
      else
        value = m_program.literals[argument].integer;
    } else if (op == Op::load_time) {
      value = static_cast<Number>(m_slots.time_ns);
    } else {
      value = static_cast<Number>(m_slots.values[argument]);
      if (m_slots.faults[argument] != Fault::none) slot = m_at[-1].argument;
      return m_slots.faults[argument];
    }
    return Fault::none;
  }

  int slot = -1;  ///< see Evaluated

 private:
  const Program& m_program;
  const Slots& m_slots;
  const Instruction* m_at;
  const Instruction* m_end;
};

template <typename Number>
Evaluated<Number> run(const Program& program, const Slots& slots) {
  Cursor cursor(program, slots);
  Evaluated<Number> result;
  result.fault = use::run(cursor, result.value);
  result.slot = cursor.slot;
  return result;
}

}  // namespace

Evaluated<std::int64_t> evaluate(const Program& program, const Slots& slots) {
  return run<std::int64_t>(program, slots);
}

Evaluated<double> evaluate_real(const Program& program, const Slots& slots) {
  return run<double>(program, slots);
}

}  // namespace tuner::space
