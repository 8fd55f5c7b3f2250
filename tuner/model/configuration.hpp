#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/value.hpp"

namespace tuner::model {

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
