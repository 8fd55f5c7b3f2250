#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tuner::model {

/// `text` as a JSON string literal, quotes included. Bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

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
  std::string json() const { return is_word() ? json_quote(text()) : text(); }

  auto operator<=>(const Value&) const = default;  // NOLINT(modernize-use-nullptr): takes <=> 0 for a pointer

 private:
  std::variant<std::int64_t, std::string> m_value = std::int64_t{0};
};

/// A positive 31-bit code of a word (FNV-1a), stable across runs and machines.
std::int64_t word_code(std::string_view word);

struct Assignment {
  std::string name;
  Value value;
  bool operator==(const Assignment&) const = default;
};

/// One point of a kernel's space: every parameter with its value, in the order the spec writes them.
class Configuration {
 public:
  Configuration() = default;
  explicit Configuration(std::vector<Assignment> assignments) : m_assignments(std::move(assignments)) {}

  const std::vector<Assignment>& assignments() const { return m_assignments; }
  /// The value of `name`, or null where there is no such parameter.
  const Value* find(std::string_view name) const;
  /// Replaces the value at `position` of assignments(), which must exist.
  void set(std::size_t position, const Value& value) { m_assignments[position].value = value; }
  /// As a JSON object, in written order: `{"BLOCK_SIZE":32,"PARTITION":"row"}`.
  std::string json() const;
  /// The same with keys sorted: equal configurations have equal text, whatever the order in the spec.
  std::string canonical_json() const;
  /// `BLOCK_SIZE=32 ELEMENTS_PER_THREAD=8`, in written order; "-" for a kernel without parameters.
  std::string text() const;
  bool operator==(const Configuration&) const = default;

 private:
  std::vector<Assignment> m_assignments;
};

}  // namespace tuner::model
