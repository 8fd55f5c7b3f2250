#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace tuner::model {

/// The value of a tuning parameter: an integer, or a word such as `row`.
/// The preprocessor knows no words, so in macros and expressions a word stands for a fixed integer
/// (word_code): the order of a value list may change without changing what any word means.
class Value {
 public:
  Value() = default;
  Value(std::int64_t number) : m_value(number) {}  // NOLINT(google-explicit-constructor): a number is a value
  explicit Value(std::string word) : m_value(std::move(word)) {}

  bool is_word() const { return std::holds_alternative<std::string>(m_value); }
  /// The integer, or the word's code.
  std::int64_t code() const;
  /// As a user writes it: `32`, `row`.
  std::string text() const;
  /// As JSON: 32, "row".
  std::string json() const;

  auto operator<=>(const Value&) const = default;  // NOLINT(modernize-use-nullptr): takes <=> 0 for a pointer

 private:
  std::variant<std::int64_t, std::string> m_value = std::int64_t{0};
};

/// A positive 31-bit code of a word (FNV-1a), stable across runs and machines.
std::int64_t word_code(std::string_view word);

}  // namespace tuner::model
