#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace tuner::compile::host {

struct Token {
  enum class Kind { identifier, number, literal, punctuation };

  inline bool is(const Token& token, std::string_view text) { return token.text == text; }
  Kind kind = Kind::punctuation;
  std::string_view text;
  std::size_t offset = 0;
  bool in_directive = false;  ///< part of a preprocessor line, continuation lines included
  bool starts_line = false;   ///< the first token of its logical line
};

inline bool is(const Token& token, std::string_view text) {
  return token.text == text;
}

/// The tokens of C++ source without white space and comments. Punctuation comes one character at a time,
/// which is all that finding declarations needs. Raw strings, line continuations and comments are understood;
/// text that is not C++ still gives tokens that cover it.
std::vector<Token> tokenise(std::string_view source);

}  // namespace tuner::compile::host
