#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/space/program.hpp"

namespace tuner::space {

/// A mistake inside an expression.
struct ExpressionError {
  int column = 1;  ///< from 1, never beyond the last character (1 in an empty text)
  std::string message;
  std::string hint;
};

struct Token {
  enum class Kind { integer, real, word, name, symbol, end };
  Kind kind = Kind::end;
  int offset = 0;         ///< of its first character, from 0
  std::string_view text;  ///< a word's without its quotes
  std::int64_t integer = 0;
  double real = 0;  ///< also of an integer
};

/// The tokens of `text`, an `end` last; their views point into `text`.
std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text);

/// `text` fit for a message: one line of at most 80 columns.
std::string excerpt(std::string_view text);
/// Whether `text` is a C identifier.
bool is_identifier(std::string_view text);

/// One node of a syntax tree; children are indexes into Syntax::nodes.
struct Node {
  enum class Kind { integer, real, word, name, unary, binary, logical_and, logical_or, conditional };
  Kind kind = Kind::integer;
  Op op = Op::constant;  ///< unary and binary
  int offset = 0;        ///< of the operator or operand in the text, from 0
  int a = -1;
  int b = -1;
  int c = -1;
  std::string_view text{};  ///< words and names; points into the parsed text
  Literal number{};
  bool parenthesized = false;
};

/// A parsed expression. Nodes lie in one array so that deep trees need no recursion to be freed.
struct Syntax {
  std::vector<Node> nodes;
  int root = -1;
};

/// Specs are not trusted: longer or more deeply nested text than anyone writes is refused.
constexpr std::size_t longest_expression = 4096;
constexpr int deepest_nesting = 64;

/// The grammar of space.hpp; names and words are not resolved yet. `text` must outlive the result.
std::variant<Syntax, ExpressionError> parse(std::string_view text);

/// The functions of the language, for suggestions.
const std::vector<std::string_view>& function_names();

}  // namespace tuner::space
