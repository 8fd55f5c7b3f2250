#pragma once
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// A word, number or sign of C++ source.
struct Token {
  std::string text;
  int line = 0;
  bool is_word() const;
};

/// A line that begins with #, continued lines joined.
struct Directive {
  std::string name;           ///< `define`, `ifndef`, `if`, …
  std::vector<Token> tokens;  ///< what follows
  int line = 0;
};

/// Source as the preprocessor sees it: without comments; strings and characters are one token `""`.
struct SourceTokens {
  std::vector<Token> code;  ///< outside of directives
  std::vector<Directive> directives;
};

SourceTokens tokens_of(std::string_view source);

using Tokens = std::span<const Token>;

bool is_one_of(const std::string& text, std::initializer_list<std::string_view> words);
/// Index behind the bracket that closes the one at `open`; the end where none does.
std::size_t behind_bracket(Tokens tokens, std::size_t open);
/// The parts between commas that are in no bracket.
std::vector<Tokens> parts(Tokens tokens);
/// With blanks where words would else become one: `unsigned int`, `cuda::std::size_t`.
std::string joined(const std::vector<std::string>& words);

}  // namespace config
