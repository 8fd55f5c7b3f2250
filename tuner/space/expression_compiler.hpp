#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/diagnostic.hpp"
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
  std::vector<Compiled> compile_all(const std::vector<model::Expression>& expressions);
  /// One program per operand of the `&&`s at the top.
  std::vector<Compiled> compile_conjuncts(const model::Expression& expression);

  void report(const model::SourceLocation& where, std::string message, std::string hint);
  const Scope& scope() const { return m_scope; }

 private:
  void report(const model::Expression& expression, const ExpressionError& error);

  const Scope& m_scope;
  std::vector<model::Diagnostic>& m_diagnostics;
};

}  // namespace tuner::space
