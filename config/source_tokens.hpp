#pragma once
#include <cstddef>
#include <cstdint>
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

struct IncludeLine {
  std::string name;
  int line = 0;            ///< from 1
  int column = 0;          ///< of the name, from 1
  bool bracketed = false;  ///< `#include <name>`
};

/// The `#include "name"` and `#include <name>` lines of a C++ source that stand outside of comments.
/// Conditions (#if) are not evaluated: what is included under any of them is needed by some configuration.
std::vector<IncludeLine> include_lines(std::string_view text);

struct SourceField {
  std::string type;  ///< as it is written: `float3`, `unsigned int`
  std::string name;
  std::int64_t length = 0;  ///< of an array; 0: it is none
};

/// A struct that a source defines.
struct SourceStruct {
  std::string name;
  std::vector<SourceField> fields;
  std::int64_t align = 0;  ///< what alignas or __align__ says; 0: nothing
  /// What it has that is more than fields of plain types, as `a function`; empty: nothing. Its fields do not
  /// count then.
  std::string beyond_fields;
  int line = 0;
};

/// Templates are left out.
std::vector<SourceStruct> structs_of(const SourceTokens& source);

}  // namespace config
