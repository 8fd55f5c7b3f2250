#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tuner/model/fields.hpp"

namespace tests {

/// Changes one of all numbers, words, flags and lists in a described value: the archive counts them in the
/// order of their fields.
class ChangeOfOne {
 public:
  explicit ChangeOfOne(std::size_t which) : m_left(which) {}

  /// What was changed, as `buffers.init.kind`; empty: there are not so many.
  const std::string& changed() const { return m_changed; }

  template <class T>
  void operator()(const char* name, T& value) {
    const std::size_t length = m_path.size();
    m_path += (m_path.empty() ? "" : ".") + std::string(name);
    visit(value);
    m_path.resize(length);
  }

 private:
  bool is_it() {
    if (m_left-- != 0) return false;
    m_changed = m_path;
    return true;
  }

  template <class T>
  void visit(std::optional<T>& value) {
    if (value) visit(*value);
  }

  template <class T>
  void visit(std::vector<T>& items) {
    for (T& item : items) visit(item);
    if (!items.empty() && is_it()) items.pop_back();
  }

  void visit(std::string& value) {
    if (is_it()) value += "x";
  }

  void visit(tuner::model::Digest& value) {
    if (is_it()) value.bytes.back() ^= 1U;
  }

  template <class T>
  void visit(T& value) {
    if constexpr (std::same_as<T, bool>) {
      if (is_it()) value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      if (is_it()) value = static_cast<T>(static_cast<int>(value) + 1);
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (is_it()) value += 1;
    } else {
      describe(*this, value);
    }
  }

  std::size_t m_left;
  std::string m_path;
  std::string m_changed;
};

/// The parts of `value` that `key` of it does not depend on.
template <class T, class Key>
std::vector<std::string> not_in_key(const T& value, const Key& key) {
  std::vector<std::string> found;
  for (std::size_t i = 0;; ++i) {
    T other = value;
    ChangeOfOne change(i);
    describe(change, other);
    if (change.changed().empty()) return found;
    if (key(other) == key(value)) found.push_back(change.changed());
  }
}

}  // namespace tests
