#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/packing/packed_kernel.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::packing {
namespace {

using use::Op;

[[noreturn]] void refuse(const space::Compiled& expression, const char* why) {
  throw model::UsageError(fmt::format("`{}` {}", expression.source->text, why));
}

/// Leaves 1 where all are true, else 0. `all` is not empty.
use::Expression conjunction(const std::vector<use::Expression>& all) {
  use::Expression result;
  std::vector<std::size_t> jumps;
  for (const use::Expression& one : all) {
    const auto moved = static_cast<std::int64_t>(result.code.size());
    for (use::Instruction instruction : one.code) {
      if (use::is_jump(instruction.op)) instruction.integer += moved;
      result.code.push_back(instruction);
    }
    jumps.push_back(result.code.size());
    result.code.push_back({use::Op::and_jump});
  }
  result.code.push_back({use::Op::integer, 1});
  for (const std::size_t jump : jumps)
    result.code[jump].integer = static_cast<std::int64_t>(result.code.size());
  return result;
}

bool has_one_value(const model::ParameterSpec& parameter) {
  return parameter.values.size() == 1 && !parameter.when;
}

}  // namespace

Folding::Folding(const space::CompiledSpec& compiled, const model::Problem& like,
                 const model::DeviceLimits& limits, const model::Configuration* configuration)
    : m_compiled(compiled),
      m_has_configuration(configuration != nullptr),
      m_slots(space::problem_slots(compiled, like, limits)),
      m_varies(m_slots.values.size(), false),
      m_place(m_slots.values.size(), -1) {
  const space::Scope& scope = compiled.scope;
  for (std::size_t i = 0; i < compiled.spec.parameters.size(); ++i)
    if (const model::ParameterSpec& one = compiled.spec.parameters[i]; has_one_value(one))
      m_slots.values[static_cast<std::size_t>(scope.parameter_slot(static_cast<int>(i)))] =
          one.values.front().code();
  if (configuration != nullptr) {
    if (const std::string* missing = space::set_parameters(compiled, *configuration, m_slots))
      throw model::UsageError(fmt::format("the configuration does not say `{}`", *missing));
  }
  for (int slot = 0; slot < scope.slots(); ++slot)
    m_varies[static_cast<std::size_t>(slot)] = slot < scope.padding_slot() || scope.is_limit(slot);
  for (const space::CompiledDerived& one : compiled.derived) {
    space::derive(one, m_slots);
    const auto slot = static_cast<std::size_t>(one.slot);
    // Who asks for one without a value may be in a branch that is left out.
    m_varies[slot] = varies(one.value) || m_slots.faults[slot] != space::Fault::none;
  }
  order_derived();
}

bool Folding::varies(const space::Compiled& expression) const {
  const std::vector<int>& reads = expression.program.reads;
  return std::any_of(reads.begin(), reads.end(), [this](int slot) { return slot_varies(slot); });
}

std::int64_t Folding::value(const space::Compiled& expression) const {
  const space::Evaluated<std::int64_t> result = space::evaluate(expression.program, m_slots);
  if (result.fault != space::Fault::none) refuse(expression, space::describe(result.fault));
  return result.value;
}

bool Folding::reads_parameter(const space::Compiled& expression) const {
  const std::vector<bool> needed = space::dependencies(m_compiled, expression.program);
  for (std::size_t slot = 0; slot < needed.size(); ++slot) {
    if (!needed[slot] || !m_compiled.scope.is_parameter(static_cast<int>(slot))) continue;
    const auto place = slot - static_cast<std::size_t>(m_compiled.scope.parameter_slot(0));
    if (!has_one_value(m_compiled.spec.parameters[place])) return true;
  }
  return false;
}

use::Instruction Folding::loaded(int slot) const {
  const space::Scope& scope = m_compiled.scope;
  if (!slot_varies(slot)) return {use::Op::integer, m_slots.values[static_cast<std::size_t>(slot)]};
  if (scope.is_limit(slot)) return {use::Op::load, use::first_limit + slot - scope.limit_slot()};
  if (scope.is_derived(slot))
    return {use::Op::load, use::first_derived + m_place[static_cast<std::size_t>(slot)]};
  return {use::Op::load, slot};
}

use::Expression Folding::folded(const space::Compiled& expression, bool is_real) const {
  if (!m_has_configuration && reads_parameter(expression))
    refuse(expression, "depends on a parameter, and the callers of a pack must know it");
  if (!varies(expression)) {
    if (!is_real) return use::constant(value(expression));
    const space::Evaluated<double> result = space::evaluate_real(expression.program, m_slots);
    if (result.fault != space::Fault::none) refuse(expression, space::describe(result.fault));
    return use::constant_real(result.value);
  }
  use::Expression result;
  result.is_real = is_real;
  for (const space::Instruction& one : expression.program.code) {
    const auto argument = static_cast<std::size_t>(one.argument);
    switch (one.op) {
      case Op::constant: {
        const space::Literal& literal = expression.program.literals[argument];
        result.code.push_back(is_real ? use::Instruction{use::Op::real, 0, literal.real}
                                      : use::Instruction{use::Op::integer, literal.integer});
        break;
      }
      case Op::load_derived:
      case Op::load:
        result.code.push_back(loaded(one.argument));
        break;
      case Op::load_time:
        refuse(expression, "reads a time");
      default:
        result.code.push_back({one.op, one.argument});
    }
  }
  return simplified(std::move(result));
}

std::vector<Folding::Condition> Folding::conditions() const {
  std::vector<Condition> all;
  for (std::size_t i = 0; i < m_compiled.needed_constraints; ++i)
    all.push_back({&m_compiled.constraints[i], true});
  for (const space::Compiled& one : m_compiled.option_conditions) {
    if (varies(one)) all.push_back({&one, value(one) != 0});
  }
  for (std::size_t i = 0; i < m_compiled.parameters.size(); ++i) {
    const space::CompiledParameter& parameter = m_compiled.parameters[i];
    if (!parameter.when || !varies(*parameter.when)) continue;
    const std::int64_t has =
        m_slots.values[static_cast<std::size_t>(m_compiled.scope.parameter_slot(static_cast<int>(i)))];
    const bool is_listed =
        std::find(parameter.codes.begin(), parameter.codes.end(), has) != parameter.codes.end();
    if (has != parameter.otherwise) all.push_back({&*parameter.when, true});
    if (!is_listed) all.push_back({&*parameter.when, false});
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [this](const Condition& one) { return !varies(*one.expression); }),
            all.end());
  return all;
}

/// Those that conditions and grids need, with all that these read, come first: a pick works out no others.
void Folding::order_derived() {
  std::vector<bool> needed(m_slots.values.size(), false);
  const auto need = [&](const std::vector<bool>& slots) {
    for (std::size_t i = 0; i < slots.size(); ++i) needed[i] = needed[i] || slots[i];
  };
  if (m_has_configuration) {
    for (const Condition& one : conditions()) need(space::dependencies(m_compiled, one.expression->program));
    for (const space::CompiledStep& step : m_compiled.steps) {  // which must fit the device
      if (step.when) need(space::dependencies(m_compiled, step.when->program));
      for (std::size_t i = 1; i < step.grid.size(); ++i)
        need(space::dependencies(m_compiled, step.grid[i].program));
      for (const space::Compiled& side : step.block) need(space::dependencies(m_compiled, side.program));
      if (step.dynamic_shared_bytes)
        need(space::dependencies(m_compiled, step.dynamic_shared_bytes->program));
    }
    for (const model::PlacedName& macro : m_compiled.spec.macros)
      needed[static_cast<std::size_t>(m_compiled.scope.find(macro.name)->slot)] = true;
    for (std::size_t i = m_compiled.derived.size(); i-- > 0;) {
      if (needed[static_cast<std::size_t>(m_compiled.derived[i].slot)])
        need(space::dependencies(m_compiled, m_compiled.derived[i].value.program));
    }
  }
  for (const bool is_first : {true, false}) {
    for (std::size_t i = 0; i < m_compiled.derived.size(); ++i) {
      const int slot = m_compiled.derived[i].slot;
      if (!slot_varies(slot) || needed[static_cast<std::size_t>(slot)] != is_first) continue;
      m_place[static_cast<std::size_t>(slot)] = static_cast<int>(m_order.size());
      m_order.push_back(static_cast<int>(i));
    }
  }
}

std::vector<use::Expression> Folding::derived() const {
  std::vector<use::Expression> all;
  for (const int place : m_order) {
    const space::Compiled& one = m_compiled.derived[static_cast<std::size_t>(place)].value;
    const bool is_unknown = !m_has_configuration && reads_parameter(one);  // then no code reads it
    const bool lacks_value = !varies(one);                                 // whatever the size
    all.push_back(is_unknown    ? use::constant(0)
                  : lacks_value ? use::binary(Op::divide, use::constant(1), use::constant(0))
                                : folded(one));
  }
  return all;
}

use::Expression Folding::applies() const {
  std::vector<use::Expression> all;
  for (const Condition& one : conditions()) {
    const use::Expression expression = folded(*one.expression);
    all.push_back(one.must_hold ? expression : use::unary(use::Op::logical_not, expression));
  }
  // A macro is part of the binary.
  for (const model::PlacedName& macro : m_compiled.spec.macros) {
    const int slot = m_compiled.scope.find(macro.name)->slot;
    if (!slot_varies(slot)) continue;
    use::Expression load;
    load.code = {loaded(slot)};
    all.push_back(
        use::binary(use::Op::equal, load, use::constant(m_slots.values[static_cast<std::size_t>(slot)])));
  }
  return all.empty() ? use::Expression() : conjunction(all);
}

namespace {

using cover::Feature;
using use::Expression;

Expression real_size(std::size_t dimension) {
  Expression load = use::size(static_cast<std::uint32_t>(dimension));
  load.is_real = true;
  return load;
}

/// As cover::value_of() calculates it.
Expression feature_code(const Feature& feature, std::size_t dimensions) {
  const auto over_all = [&](use::Op op) {
    Expression out = real_size(0);
    for (std::size_t i = 1; i < dimensions; ++i) out = use::binary(op, out, real_size(i));
    return out;
  };
  switch (feature.kind) {
    case Feature::Kind::size:
      return real_size(feature.a);
    case Feature::Kind::least:
      return over_all(use::Op::minimum);
    case Feature::Kind::most:
      return over_all(use::Op::maximum);
    case Feature::Kind::product:
      return over_all(use::Op::multiply);
    case Feature::Kind::pair:
      return use::binary(use::Op::multiply, real_size(feature.a), real_size(feature.b));
    case Feature::Kind::ratio:
      return use::binary(use::Op::divide, real_size(feature.a), real_size(feature.b));
    case Feature::Kind::remainder:
      return use::binary(use::Op::remainder, real_size(feature.a),
                         use::constant_real(static_cast<double>(feature.modulus)));
  }
  return {};
}

class RuleWriter {
 public:
  RuleWriter(const cover::Rule& rule, std::size_t dimensions,
             const std::map<std::size_t, std::vector<std::uint32_t>>& places, const Promise& promise)
      : m_rule(rule), m_dimensions(dimensions), m_places(places), m_promise(promise) {}

  std::vector<use::RuleNode> write() {
    if (!m_rule.nodes.empty()) add(0);
    return std::move(m_nodes);
  }

 private:
  /// Nodes that a node leads to lie behind it.
  std::uint32_t add(std::size_t index) {
    const cover::RuleNode& from = m_rule.nodes[index];
    const auto place = static_cast<std::uint32_t>(m_nodes.size());
    m_nodes.push_back(from.is_leaf ? leaf(from) : question(from));
    if (from.is_leaf) return place;
    const std::uint32_t yes = add(from.yes);
    const std::uint32_t no = add(from.no);
    m_nodes[place].yes = yes;
    m_nodes[place].no = no;
    return place;
  }

  use::RuleNode question(const cover::RuleNode& from) const {
    use::RuleNode node;
    node.condition = use::binary(use::Op::less_equal, feature_code(from.feature, m_dimensions),
                                 use::constant_real(from.threshold));
    return node;
  }

  use::RuleNode leaf(const cover::RuleNode& from) const {
    use::RuleNode node;
    node.loss_bound = m_promise.loss_bound;
    node.confidence = m_promise.confidence;
    node.otherwise = m_places.at(from.configuration);
    for (const std::size_t other : from.otherwise) {
      const std::vector<std::uint32_t>& more = m_places.at(other);
      node.otherwise.insert(node.otherwise.end(), more.begin(), more.end());
    }
    node.configuration = node.otherwise.front();
    node.otherwise.erase(node.otherwise.begin());
    return node;
  }

  const cover::Rule& m_rule;
  const std::size_t m_dimensions;
  const std::map<std::size_t, std::vector<std::uint32_t>>& m_places;
  const Promise m_promise;
  std::vector<use::RuleNode> m_nodes;
};

}  // namespace

std::vector<use::RuleNode> rule_code(const cover::Rule& rule, std::size_t dimensions,
                                     const std::map<std::size_t, std::vector<std::uint32_t>>& places,
                                     const Promise& promise) {
  return RuleWriter(rule, dimensions, places, promise).write();
}

}  // namespace tuner::packing
