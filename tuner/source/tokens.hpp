#pragma once
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::source {

/// A part of CUDA C++ text, which must live longer.
struct Token {
  enum class Kind { word, number, literal, punctuation };

  Kind kind = Kind::punctuation;
  std::string_view text;
  std::size_t offset = 0;
  int line = 0;               ///< from 1
  bool in_directive = false;  ///< part of a preprocessor line, continued lines included
  bool starts_line = false;   ///< the first token of its logical line
  int file = 0;               ///< of a program: which of its files

  bool is(std::string_view other) const { return text == other; }
  bool is_word() const { return kind == Kind::word; }
};

using Tokens = std::span<const Token>;

/// The tokens of a source without white space and comments. Punctuation comes one character at a time, except
/// `::`. The reader understands raw strings, continued lines and comments, and takes text that is not C++
/// apart in the same way.
std::vector<Token> tokens_of(std::string_view source);

/// A line that begins with #, continued lines joined.
struct Directive {
  std::string_view name;      ///< `define`, `ifndef`, `if`, …
  std::vector<Token> tokens;  ///< behind the name
  std::string_view text;      ///< from # on, as it is written
  int line = 0;
};

/// A source as the preprocessor sees it.
struct Lines {
  std::vector<Token> code;  ///< outside directives
  std::vector<Directive> directives;
};

Lines lines_of(std::string_view source);
/// The same of `tokens`, which are those of `source`.
Lines lines_of(Tokens tokens, std::string_view source);

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words);
/// Index of the first token that is one of `words`; the end where none is.
std::size_t find_one_of(Tokens tokens, std::initializer_list<std::string_view> words);
/// The same from `at` on, past whole brackets.
std::size_t find_outside(Tokens tokens, std::size_t at, std::initializer_list<std::string_view> words);
/// The operator between two operands that stands there, of one character or two; empty: none does.
std::string operator_at(Tokens tokens, std::size_t at);
/// Index behind the bracket that closes the one at `open`; the end where none does.
std::size_t behind_bracket(Tokens tokens, std::size_t open);
/// Index of the bracket that the one at `close` closes; 0 where it closes none.
std::size_t opening_bracket(Tokens tokens, std::size_t close);
/// Index behind the statement that begins at `at`, or its `;`.
std::size_t behind_statement(Tokens tokens, std::size_t at);
/// Where `if`, `else`, `for`, `while` and `switch` stand that decide whether, or how often, the token at `at`
/// runs; the innermost comes first. The header of a `for` is a part of it.
std::vector<std::size_t> statements_around(Tokens tokens, std::size_t at);
/// What stands between the bracket at `open` and the one that closes it.
Tokens inside_bracket(Tokens tokens, std::size_t open);
/// The parts between commas outside brackets.
std::vector<Tokens> parts(Tokens tokens);
/// The parts between commas outside brackets of an expression's list, where `<` may be an operator.
/// `with_templates`: the commas of `f<a, b>(c)` part nothing.
std::vector<Tokens> expression_parts(Tokens tokens, bool with_templates = true);
/// With blanks where words would else become one: `unsigned int`, `cuda::std::size_t`.
std::string joined(const std::vector<std::string_view>& words);
std::string joined(Tokens tokens);
/// The text with `by` in the place of a word.
std::string with_word(const std::string& text, std::string_view word, const std::string& by);
/// Whether the brace behind `declaration` is that of `namespace a::b {` or `extern "C" {`.
bool opens_namespace(Tokens declaration);

struct IncludeLine {
  std::string name;
  int line = 0;            ///< from 1
  int column = 0;          ///< of the name, from 1
  bool bracketed = false;  ///< `#include <name>`
  bool always = true;      ///< it stands behind no #if
};

/// The `#include "name"` and `#include <name>` lines of a source outside comments. Conditions (#if) are not
/// evaluated: some configuration needs each of them.
std::vector<IncludeLine> include_lines(std::string_view source);

}  // namespace tuner::source
