#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/plan.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::space {

/// An expression of the spec with its code.
struct Compiled {
  const model::Expression* source = nullptr;  ///< in CompiledSpec::spec, or among CompiledSpec::implied
  Program program;
};

/// The expressions of one key, as a range.
template <class One>
std::span<const One> expressions_of(const std::optional<One>& one) {
  return one ? std::span<const One>(&*one, 1) : std::span<const One>();
}
template <class One>
std::span<const One> expressions_of(const std::vector<One>& many) {
  return many;
}

struct CompiledParameter {
  std::vector<std::int64_t> codes;  ///< of the values, in order
  std::int64_t otherwise = 0;
  std::optional<Compiled> when;
};

struct CompiledDerived {
  int slot = 0;
  Compiled value;
};

struct CompiledTensorMap : model::TensorMapKeys<model::AsExpressions<Compiled>> {
  int argument = -1;  ///< the buffer's, in KernelSpec::arguments
};

/// Whether textures and surfaces hold elements of `type`: one, two or four numbers of at most 32 bits.
bool has_textures(model::ElementType type);

/// See model::TextureSpec.
struct CompiledTexture {
  int argument = -1;  ///< the buffer's, in KernelSpec::arguments
  std::vector<Compiled> shape;
  std::optional<Compiled> pitch;
};

/// A pointer has an extent. A scalar has `real` where it may be of floating type and `integer` where it may
/// be of integer type; which of them applies is known with the problem.
struct CompiledArgument {
  std::vector<Compiled> extent;
  std::optional<Compiled> integer;
  std::optional<Compiled> real;
  std::vector<Compiled> components;  ///< of a vector by value, where each has its own
  /// Of each rule with expressions, in their order.
  std::map<const model::InitRule*, std::vector<Compiled>> inits;
  std::optional<Compiled> unordered;
  std::optional<CompiledTensorMap> tensor;
  std::optional<CompiledTexture> texture;
  int buffer = -1;  ///< index among the plan's buffers; -1 for scalars
};

/// `visit(expression)` for each expression of what launches are passed: not of what a buffer is filled with.
template <class Visit>
void each_expression(const CompiledArgument& argument, const Visit& visit) {
  const auto visit_all = [&](const auto&... values) {
    const auto visit_one = [&](const auto& value) { std::ranges::for_each(expressions_of(value), visit); };
    (visit_one(values), ...);
    return true;
  };
  visit_all(argument.extent, argument.integer, argument.real, argument.components);
  if (argument.texture) visit_all(argument.texture->shape, argument.texture->pitch);
  if (argument.tensor)
    model::each_map_key([&](const model::TensorMapKey&, const auto& value) { return visit_all(value); },
                        *argument.tensor);
}

struct CompiledOperand {
  model::Operand::Kind kind = model::Operand::Kind::buffer;  ///< also for scalars of any type
  int argument = 0;  ///< index in KernelSpec::arguments; without `value`
  /// A reference's operand that is no argument of the kernel: a size, parameter or derived value, an `int`.
  std::optional<Compiled> value;
};

struct CompiledStep : model::StepKeys<model::AsExpressions<Compiled>> {
  std::vector<CompiledOperand> operands;
  int upload = -1;     ///< index in KernelSpec::arguments; -1 where it is none
  int workspace = -1;  ///< the same, of a call
  std::optional<Compiled> when;
};

/// `visit(expression)` for each expression of a step.
template <class Visit>
void each_expression(const CompiledStep& step, const Visit& visit) {
  model::each_key(
      [&](const model::StepKey&, const auto& value) {
        std::ranges::for_each(expressions_of(value), visit);
        return true;
      },
      step);
  if (step.when) visit(*step.when);
}

struct CompiledVerification {
  std::vector<CompiledStep> steps;
  Compiled rounding_terms;
  std::vector<CompiledStep> comparison;
};

/// A kernel spec with every name resolved and every expression compiled. Not copyable: its parts point into
/// `spec`.
struct CompiledSpec {
  CompiledSpec(model::KernelSpec from, std::vector<model::Diagnostic>& diagnostics)
      : spec(std::move(from)), scope(spec, diagnostics) {}
  CompiledSpec(const CompiledSpec&) = delete;
  CompiledSpec& operator=(const CompiledSpec&) = delete;

  const model::KernelSpec spec;
  const Scope scope;
  std::vector<CompiledParameter> parameters;  ///< as in the spec
  std::vector<CompiledDerived> derived;       ///< each after those it reads
  std::vector<Compiled> constraints;          ///< conjunctions taken apart, those of `worth_trying` last
  std::size_t needed_constraints = 0;         ///< so many of them are not of `worth_trying`
  std::vector<Compiled> option_conditions;    ///< of the conditional options, as in the spec
  std::vector<CompiledArgument> arguments;    ///< as in the spec
  std::vector<CompiledStep> steps;
  std::optional<CompiledVerification> verify;
  std::vector<CompiledStep> generator;
  std::vector<Compiled> metrics;                                  ///< as in the spec
  std::optional<Compiled> operations;                             ///< of the workload
  std::optional<Compiled> bytes;                                  ///< of the workload
  std::vector<Compiled> ceiling_sizes;                            ///< as in the spec
  std::vector<std::unique_ptr<const model::Expression>> implied;  ///< values of scalars that only have a name
};

/// Compiles `spec` and adds every mistake in it to `diagnostics`. Null where there is any.
std::shared_ptr<const CompiledSpec> compile_spec(model::KernelSpec spec,
                                                 std::vector<model::Diagnostic>& diagnostics);

/// Which slots a program depends on, itself or through derived values.
std::vector<bool> dependencies(const CompiledSpec& compiled, const Program& program);
/// Whether `is_meant` holds for any of these.
template <class IsMeant>
bool depends_on(const CompiledSpec& compiled, const Program& program, const IsMeant& is_meant) {
  const std::vector<bool> needed = dependencies(compiled, program);
  for (int slot = 0; slot < compiled.scope.slots(); ++slot) {
    if (needed[static_cast<std::size_t>(slot)] && is_meant(slot)) return true;
  }
  return false;
}

/// Slots with sizes, row padding, element properties and limits set. Throws model::UsageError where `problem`
/// lacks one of the kernel's sizes.
Slots problem_slots(const CompiledSpec& compiled, const model::Problem& problem,
                    const model::DeviceLimits& limits);

/// Sets the parameters. Returns the name of one that `configuration` leaves out, or null.
const std::string* set_parameters(const CompiledSpec& compiled, const model::Configuration& configuration,
                                  Slots& slots);

/// Computes one derived value from what it reads, all of them in order.
void derive(const CompiledDerived& derived, Slots& slots);
void derive_all(const CompiledSpec& compiled, Slots& slots);

/// Why `expression` has no value: "`M / X`: division by zero", or the same of the derived value that is to
/// blame.
std::string explain(const CompiledSpec& compiled, const Compiled& expression, const Slots& slots, Fault fault,
                    int slot);

/// From a spec's expressions to programs; mistakes become diagnostics at their own columns, and an expression
/// with one an empty program.
class ExpressionCompiler {
 public:
  ExpressionCompiler(const Scope& scope, std::vector<model::Diagnostic>& diagnostics)
      : m_scope(scope), m_diagnostics(diagnostics) {}

  Compiled compile(const model::Expression& expression, const Rules& rules = {});
  std::optional<Compiled> compile(const std::optional<model::Expression>& expression,
                                  const Rules& rules = {});
  std::vector<Compiled> compile(const std::vector<model::Expression>& expressions, const Rules& rules = {});
  /// One program per operand of the `&&`s at the top.
  std::vector<Compiled> compile_conjuncts(const model::Expression& expression);

  void report(const model::SourceLocation& where, std::string message, std::string hint);
  const Scope& scope() const { return m_scope; }

 private:
  template <class RootsOf>
  std::vector<Compiled> compile_roots(const model::Expression& expression, const Rules& rules,
                                      const RootsOf& roots_of);
  void report(const model::Expression& expression, const ExpressionError& error);

  const Scope& m_scope;
  std::vector<model::Diagnostic>& m_diagnostics;
};

// The parts of compile_spec, each in a file of its own. They fill the CompiledSpec they are given and report
// mistakes through the compiler.

/// parameters, derived (sorted; cycles are reported) and constraints.
void compile_values(CompiledSpec& compiled, ExpressionCompiler& compiler);
/// arguments.
void compile_arguments(CompiledSpec& compiled, ExpressionCompiler& compiler);
/// steps, generate and verify. After the arguments.
void compile_steps(CompiledSpec& compiled, ExpressionCompiler& compiler);
/// What needs no expression: value lists, words as macros, defaults, element types, metrics' names.
void check_declarations(const CompiledSpec& compiled, ExpressionCompiler& compiler);
/// That run-time parameters reach the kernel, metrics no device limit, the workload neither a parameter nor a
/// limit, and the sizes of a ceiling nothing but limits and the element. After the others.
void check_uses(const CompiledSpec& compiled, ExpressionCompiler& compiler);

/// That what baselines take is there and depends on no parameter. After check_uses(), in a spec without other
/// mistakes.
void check_baselines(const CompiledSpec& compiled, ExpressionCompiler& compiler);

/// Whether an argument of this type may be of floating (or integer) type for some problem.
bool may_be(bool floating, const model::ArgumentSpec& argument, const model::KernelSpec& spec);
/// The position of the argument called `name`; -1, and a report, where there is none.
int argument_index(const CompiledSpec& compiled, ExpressionCompiler& compiler, const std::string& name,
                   const model::SourceLocation& where, const std::string& hint = "");
/// The expression that is this name alone.
const model::Expression& implied(CompiledSpec& compiled, const std::string& name,
                                 const model::SourceLocation& where);

}  // namespace tuner::space
