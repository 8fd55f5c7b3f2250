#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/generator.hpp"

namespace tuner::space {

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
