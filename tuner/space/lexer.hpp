#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

}  // namespace tuner::space
