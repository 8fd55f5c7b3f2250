#pragma once
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

}  // namespace config
