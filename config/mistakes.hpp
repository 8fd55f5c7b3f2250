#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/model/kernel_spec.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;

struct Member;

/// A TOML value as the readers of this room see it: members in the order written, everything with its place.
struct Node {
  enum class Kind { text, integer, real, boolean, time, list, table };
  Kind kind = Kind::table;
  model::SourceLocation where;     ///< of the value's first character; a string's is its quote
  model::SourceLocation contents;  ///< strings: of the first character inside the quotes
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<Node> items;      ///< lists
  std::vector<Member> members;  ///< tables

  /// Null where there is no such key, or this is no table.
  const Member* find(std::string_view key) const;
  /// For messages: `string "abc"`, `integer 3`, `list of 2`, `table`. Long strings are cut.
  std::string described() const;
};

struct Member {
  std::string key;
  model::SourceLocation where;  ///< of the key; of the header for `[key]`
  Node value;
};

/// The largest file this room reads, specs and sources alike.
inline constexpr std::size_t most_file_bytes = std::size_t{1} << 20;

/// Parses TOML 1.0. `file` is what places name. The first syntax error ends the reading: what follows one
/// means nothing. Only toml_document.cpp knows the TOML library: it is slow to compile, and it forgets the
/// order of keys.
std::variant<Node, model::Diagnostic> parse_toml(std::string_view text, const std::string& file);

/// What is wrong with one file, collected while it is read so that all of it can be told at once.
class Mistakes {
 public:
  void add(model::SourceLocation where, std::string message, std::string hint = "");
  /// `key` is a string, found something else: "sizes must be a list of names, found integer 3".
  void wrong_type(const Node& found, std::string_view what, std::string_view expected, std::string hint = "");

  bool none() const { return m_list.empty(); }
  /// In the order of their places; leaves this empty.
  std::vector<model::Diagnostic> take();

 private:
  std::vector<model::Diagnostic> m_list;
};

/// Lines wider than this are hard to read, however wide the terminal.
constexpr std::size_t widest_diagnostic_columns = 168;

/// A diagnostic for a terminal of `columns` columns: place and message, the offending line with a caret below
/// it, the hint. The line is quoted when `texts` holds the file; control characters in it are made harmless,
/// a long one is cut around the caret.
///
///   naive.toml:9:1: unknown key "sorce" in [kernel]
///      9 | sorce = "naive.cu"
///        | ^
///     did you mean "source"?
///
/// Ends without a newline.
std::string diagnostic_text(const model::Diagnostic& diagnostic, std::span<const model::SourceText> texts,
                            std::size_t columns = widest_diagnostic_columns);

/// All of them, in order, separated by newlines.
std::string diagnostics_text(std::span<const model::Diagnostic> diagnostics,
                             std::span<const model::SourceText> texts,
                             std::size_t columns = widest_diagnostic_columns);

}  // namespace config
