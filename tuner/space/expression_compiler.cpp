#include "tuner/space/expression_compiler.hpp"

#include <fmt/format.h>

#include <utility>

namespace tuner::space {

Compiled ExpressionCompiler::compile(const model::Expression& expression, const Rules& rules) {
  Compiled result{&expression, {}};
  const std::variant<Syntax, ExpressionError> syntax = parse(expression.text);
  if (const auto* error = std::get_if<ExpressionError>(&syntax)) {
    report(expression, *error);
    return result;
  }
  const Syntax& tree = std::get<Syntax>(syntax);
  std::variant<Program, ExpressionError> program = generate(tree, tree.root, m_scope, rules);
  if (const auto* error = std::get_if<ExpressionError>(&program)) {
    report(expression, *error);
  } else {
    result.program = std::move(std::get<Program>(program));
  }
  return result;
}

std::optional<Compiled> ExpressionCompiler::compile(const std::optional<model::Expression>& expression,
                                                    const Rules& rules) {
  if (!expression) return std::nullopt;
  return compile(*expression, rules);
}

std::vector<Compiled> ExpressionCompiler::compile_all(const std::vector<model::Expression>& expressions) {
  std::vector<Compiled> all;
  for (const model::Expression& expression : expressions) all.push_back(compile(expression));
  return all;
}

std::vector<Compiled> ExpressionCompiler::compile_conjuncts(const model::Expression& expression) {
  const std::variant<Syntax, ExpressionError> syntax = parse(expression.text);
  if (const auto* error = std::get_if<ExpressionError>(&syntax)) {
    report(expression, *error);
    return {};
  }
  std::vector<Compiled> parts;
  for (const int root : conjuncts(std::get<Syntax>(syntax))) {
    std::variant<Program, ExpressionError> program = generate(std::get<Syntax>(syntax), root, m_scope, {});
    if (const auto* error = std::get_if<ExpressionError>(&program)) {
      report(expression, *error);
    } else {
      parts.push_back({&expression, std::move(std::get<Program>(program))});
    }
  }
  return parts;
}

void ExpressionCompiler::report(const model::SourceLocation& where, std::string message, std::string hint) {
  m_diagnostics.push_back({where, std::move(message), std::move(hint)});
}

void ExpressionCompiler::report(const model::Expression& expression, const ExpressionError& error) {
  const std::string what = fmt::format("{} in `{}`", error.message, excerpt(expression.text));
  model::SourceLocation where = expression.where;
  if (where.line == 0) {  // no place of its own to point at
    report(where, fmt::format("{} at column {}", what, error.column), error.hint);
    return;
  }
  where.column += error.column - 1;
  report(where, what, error.hint);
}

}  // namespace tuner::space
