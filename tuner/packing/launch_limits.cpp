#include "tuner/packing/launch_limits.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "tuner/space/planner.hpp"

namespace tuner::packing {
namespace {

using use::Expression;
using use::Op;

constexpr std::int64_t largest_int = std::numeric_limits<std::int32_t>::max();

/// Each condition costs every pick some nanoseconds, so what holds anyway is left out.
class Conditions {
 public:
  Conditions(use::Configuration& configuration, const model::Compilation& binary)
      : m_configuration(configuration), m_binary(binary) {}

  void add_all(const std::vector<Bounds>& bounds) {
    for (const use::Step& step : m_configuration.steps)
      for (const use::Operand& operand : step.operands) add_operand(step, operand);
    add_narrow();
    for (const Bounds& one : bounds) add_between(one.when, one.value, one.least, one.most);
    add_some_step();
    for (const use::Step& step : m_configuration.steps) add_shape(step);
  }

 private:
  /// A run of no step would leave its outputs as they were.
  void add_some_step() {
    Expression some, rounds;
    int left = 0;  // steps of the loop that goes on
    for (const use::Step& step : m_configuration.steps) {
      if (step.repeat_steps > 0) {
        rounds = step.repeat;
        left = step.repeat_steps;
      }
      const Expression repeat = left-- > 0 ? rounds : Expression();
      if (step.kind != use::StepKind::launch && step.kind != use::StepKind::memset) continue;
      if (step.when.empty() && repeat.empty()) return;
      Expression runs = step.when.empty() ? repeat : step.when;
      runs = use::unary(Op::truth, runs);
      if (!step.when.empty() && !repeat.empty())
        runs = use::binary(Op::bit_and, runs, use::unary(Op::truth, repeat));
      some = some.empty() ? runs : use::binary(Op::bit_or, some, runs);
    }
    if (!some.empty()) add(some);
  }

  void add_shape(const use::Step& step) {
    if (!step.repeat.empty())
      add_between({}, step.repeat, use::constant(0), use::constant(space::most_launches));
    constexpr use::Limit most_blocks[] = {use::Limit::max_grid_x, use::Limit::max_grid_y,
                                          use::Limit::max_grid_z};
    constexpr use::Limit most_threads[] = {use::Limit::max_block_x, use::Limit::max_block_y,
                                           use::Limit::max_block_z};
    const auto add_sides = [&](const std::vector<Expression>& sides, const use::Limit(&most)[3]) {
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (most[i] != use::Limit::max_grid_x || !is_positive(sides[i]) || !is_narrow(sides[i]))
          add_between(step.when, sides[i], use::constant(1), use::limit(most[i]));
    };
    add_sides(step.grid, most_blocks);
    add_sides(step.block, most_threads);
    Expression threads = use::constant(1);
    for (const Expression& side : step.block) threads = use::binary(Op::multiply, threads, side);
    add_between(step.when, threads, use::constant(1), use::limit(use::Limit::max_threads_per_block));
    for (std::size_t i = 0; i < std::min(step.cluster.size(), step.grid.size()); ++i) {
      const Expression rest = use::binary(Op::remainder, step.grid[i], step.cluster[i]);
      add_between(step.when, rest, use::constant(0), use::constant(0));
    }
    Expression cluster = use::constant(1);
    for (const Expression& side : step.cluster) cluster = use::binary(Op::multiply, cluster, side);
    add_between(step.when, cluster, use::constant(1), use::constant(space::most_cluster_blocks));
    if (!step.shared_carveout.empty())
      add_between(step.when, step.shared_carveout, use::constant(-1), use::constant(100));
    if (step.dynamic_shared_bytes.empty()) return;
    std::int64_t static_bytes = 0;
    for (const model::KernelResources& one : m_binary.kernels)
      if (one.symbol == step.function) static_bytes = one.static_shared_bytes;
    add_between(step.when, use::binary(Op::add, use::constant(static_bytes), step.dynamic_shared_bytes),
                use::constant(0), use::limit(use::Limit::max_shared_bytes_per_block));
  }

  void add_operand(const use::Step& step, const use::Operand& operand) {
    if (operand.kind == use::OperandKind::number) add_number(step, operand.type, operand.value);
    for (const use::Field& field : operand.fields)
      if (field.parameter == use::no_index) add_number(step, field.type, field.value);
    // The driver refuses a map with other strides.
    for (const Expression& stride : operand.map.strides) {
      const Expression rest = use::binary(Op::remainder, stride, use::constant(16));
      add(use::binary(Op::equal, rest, use::constant(0)));
    }
  }

  void add_number(const use::Step& step, std::uint32_t type, const Expression& number) {
    const bool is_unsigned = type == TUNER_UINT8 || type == TUNER_UINT16 || type == TUNER_UINT32;
    const bool is_signed = type == TUNER_INT8 || type == TUNER_INT16 || type == TUNER_INT32;
    if ((type == TUNER_INT64 || type == TUNER_UINT64) && may_lack_value(number))
      add_between(step.when, number, use::constant(std::numeric_limits<std::int64_t>::min()),
                  use::constant(std::numeric_limits<std::int64_t>::max()));
    if (!is_signed && !is_unsigned) return;
    const Expression value = resolved(number);
    const bool is_size = value.code.size() == 1 && value.code[0].op == Op::load;
    if (type == TUNER_INT32 && is_size && step.when.empty()) {
      m_narrow.insert(value.code[0].integer);
      return;
    }
    const std::int64_t beyond = std::int64_t{1} << (8 * use::size_of(type) - (is_signed ? 1 : 0));
    add_between(step.when, value, use::constant(is_signed ? -beyond : 0), use::constant(beyond - 1));
  }

  /// The largest of the sizes that arguments of type `int` take.
  void add_narrow() {
    Expression largest;
    for (const std::int64_t size : m_narrow) {
      const Expression one{{{Op::load, size}}};
      largest = largest.empty() ? one : use::binary(Op::maximum, largest, one);
    }
    if (!largest.empty()) add(use::binary(Op::less_equal, largest, use::constant(largest_int)));
  }

  /// `when`: of the step; empty: it is never left out.
  void add_between(const Expression& when, const Expression& value, const Expression& least,
                   const Expression& most) {
    if (std::ranges::none_of(value.code, [](const use::Instruction& one) { return one.op == Op::load; }))
      return;
    if (most.empty() && is_positive(value)) return;
    Expression fits = most.empty() ? use::constant(1) : use::binary(Op::less_equal, value, most);
    if (!is_positive(value)) fits = use::binary(Op::bit_and, use::binary(Op::less_equal, least, value), fits);
    if (!when.empty()) {  // where the step is left out, its grid may have no value
      Expression is_out = use::unary(Op::logical_not, when);
      const std::size_t end = is_out.code.size() + 1 + fits.code.size() + 1;
      is_out.code.push_back({Op::or_jump, static_cast<std::int64_t>(end)});
      fits = use::binary(Op::truth, is_out, fits);
    }
    add(fits);
  }

  /// Both are 0 or 1.
  void add(const Expression& fits) {
    Expression& applies = m_configuration.applies;
    applies = applies.empty() ? fits : use::binary(Op::bit_and, applies, fits);
  }

  /// Of a derived value that is another variable, that one.
  Expression resolved(const Expression& value) const {
    if (value.code.size() != 1 || value.code[0].op != Op::load || value.code[0].integer < use::first_derived)
      return value;
    const auto place = static_cast<std::size_t>(value.code[0].integer - use::first_derived);
    const Expression& derived = m_configuration.derived[place];
    return derived.code.size() == 1 && !derived.is_real ? resolved(derived) : value;
  }

  /// From 1 on wherever it has a value: sizes and limits are, and so is what these operators make of them.
  bool is_positive(const Expression& value) const {
    return !value.is_real && std::ranges::all_of(value.code, [&](const use::Instruction& one) {
      if (one.op == Op::integer) return one.integer > 0;
      if (one.op == Op::load && one.integer >= use::first_derived)
        return is_positive(
            m_configuration.derived[static_cast<std::size_t>(one.integer - use::first_derived)]);
      return one.op == Op::load || one.op == Op::add || one.op == Op::multiply || one.op == Op::ceil_div ||
             one.op == Op::round_up || one.op == Op::minimum || one.op == Op::maximum;
    });
  }

  /// Whether it divides by what may be 0, or has another operator without a value at some sizes.
  bool may_lack_value(const Expression& value) const {
    for (std::size_t i = 0; i < value.code.size(); ++i) {
      const use::Instruction& one = value.code[i];
      const bool is_by_constant =
          i > 0 && value.code[i - 1].op == Op::integer && value.code[i - 1].integer > 0;
      if (one.op == Op::load && one.integer >= use::first_derived &&
          may_lack_value(m_configuration.derived[static_cast<std::size_t>(one.integer - use::first_derived)]))
        return true;
      if (one.op == Op::log2 || one.op == Op::square_root) return true;
      const bool divides = one.op == Op::divide || one.op == Op::remainder || one.op == Op::ceil_div ||
                           one.op == Op::round_up || one.op == Op::shift_left || one.op == Op::shift_right;
      if (divides && !is_by_constant) return true;
    }
    return false;
  }

  /// Of a positive one: at most the sizes that arguments of type `int` take.
  bool is_narrow(const Expression& value) const {
    return std::ranges::all_of(value.code, [&](const use::Instruction& one) {
      if (one.op == Op::load) return m_narrow.contains(one.integer);
      return (one.op == Op::integer && one.integer <= largest_int) || one.op == Op::ceil_div ||
             one.op == Op::minimum || one.op == Op::maximum;
    });
  }

  use::Configuration& m_configuration;
  const model::Compilation& m_binary;
  std::set<std::int64_t> m_narrow;  ///< variables that arguments of type `int` take
};

}  // namespace

void require_launchable(use::Configuration& configuration, const model::Compilation& binary,
                        const std::vector<Bounds>& bounds) {
  Conditions(configuration, binary).add_all(bounds);
}

void leave_out(use::Configuration& configuration, const std::vector<std::int64_t>& sizes) {
  Expression others = use::constant(0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Expression differs =
        use::binary(Op::not_equal, use::size(static_cast<std::uint32_t>(i)), use::constant(sizes[i]));
    others = i == 0 ? differs : use::binary(Op::bit_or, others, differs);
  }
  Expression& applies = configuration.applies;
  applies = applies.empty() ? others : use::binary(Op::bit_and, others, applies);
}

}  // namespace tuner::packing
