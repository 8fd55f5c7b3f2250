#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tuner/packing/packed_kernel.hpp"

namespace tuner::packing {
namespace {

using use::Instruction;
using use::Op;

/// Runs code as far as it is known. Of a branch whose condition is known the other side is left out.
class Simplifier {
 public:
  explicit Simplifier(const std::vector<Instruction>& code) : m_code(code), m_moved(code.size() + 1) {}

  std::vector<Instruction> run() {
    for (std::size_t at = 0; at < m_code.size();) {
      arrive(at);
      at = step(at);
    }
    arrive(m_code.size());
    for (const std::size_t jump : m_jumps) {
      std::int64_t& target = m_out[jump].integer;
      target = static_cast<std::int64_t>(m_moved[static_cast<std::size_t>(target)]);
    }
    return std::move(m_out);
  }

 private:
  /// On the stack: where its code begins in `m_out`, and what it is if that is known.
  struct Value {
    std::size_t begin = 0;
    std::optional<std::int64_t> known;
  };

  void arrive(std::size_t at) {
    m_moved[at] = m_out.size();
    if (const auto joined = m_joins.find(at); joined != m_joins.end()) m_stack.back() = {joined->second, {}};
  }

  /// The instruction to go on with.
  std::size_t step(std::size_t at) {
    const Instruction& one = m_code[at];
    const auto target = static_cast<std::size_t>(one.integer);
    if (one.op == Op::jump) {  // the end of a branch
      if (m_left_out.contains(at)) return target;
      m_joins.emplace(target, m_branches.back());
      m_branches.pop_back();
      m_stack.pop_back();
      put_jump(one);
    } else if (use::is_jump(one.op)) {
      const Value condition = pop();
      if (!condition.known) {
        if (one.op == Op::jump_if_zero) m_branches.push_back(condition.begin);
        if (one.op != Op::jump_if_zero) m_joins.emplace(target, condition.begin);
        put_jump(one);
        return at + 1;
      }
      m_out.resize(condition.begin);
      if (one.op == Op::jump_if_zero) {
        if (*condition.known == 0) return target;
        m_left_out.insert(target - 1);
      } else if ((*condition.known == 0) == (one.op == Op::and_jump)) {
        push_known(condition.begin, *condition.known != 0 ? 1 : 0);
        return target;
      }
    } else if (use::makes_value(one.op)) {
      m_stack.push_back({m_out.size(), one.op == Op::integer ? std::optional(one.integer) : std::nullopt});
      m_out.push_back(one);
    } else {
      calculate(one);
    }
    return at + 1;
  }

  void calculate(const Instruction& one) {
    std::int64_t result = 0;
    const Value right = pop();
    const bool is_unary = use::is_unary(one.op);
    const Value left = is_unary ? right : pop();
    const bool is_known =
        left.known && right.known &&
        (is_unary ? use::apply(one.op, *left.known, result)
                  : use::apply(one.op, *left.known, *right.known, result)) == use::Fault::none;
    if (is_known) return push_known(left.begin, result);
    if (!is_unary && right.known && changes_nothing(one.op, *right.known)) {
      m_out.resize(right.begin);
      m_stack.push_back(left);
      return;
    }
    m_out.push_back(one);
    m_stack.push_back({left.begin, {}});
  }

  static bool changes_nothing(Op op, std::int64_t right) {
    if (op == Op::add || op == Op::subtract) return right == 0;
    return right == 1 && (op == Op::multiply || op == Op::divide || op == Op::ceil_div || op == Op::round_up);
  }

  Value pop() {
    const Value value = m_stack.back();
    m_stack.pop_back();
    return value;
  }
  void push_known(std::size_t begin, std::int64_t value) {
    m_out.resize(begin);
    m_out.push_back({Op::integer, value});
    m_stack.push_back({begin, value});
  }
  void put_jump(const Instruction& jump) {
    m_jumps.push_back(m_out.size());
    m_out.push_back(jump);
  }

  const std::vector<Instruction>& m_code;
  std::vector<Instruction> m_out;
  std::vector<std::size_t> m_moved;  ///< from places in `m_code` to those in `m_out`
  std::vector<std::size_t> m_jumps;  ///< in `m_out`, to places in `m_code`
  std::vector<Value> m_stack;
  std::vector<std::size_t> m_branches;         ///< of open ones: where the condition begins
  std::map<std::size_t, std::size_t> m_joins;  ///< where branches meet: where their value begins
  std::set<std::size_t> m_left_out;            ///< jumps behind the side that is taken
};

}  // namespace

use::Expression simplified(use::Expression expression) {
  if (!expression.is_real) expression.code = Simplifier(expression.code).run();
  return expression;
}

}  // namespace tuner::packing
