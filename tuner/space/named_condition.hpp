#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tuner/model/value.hpp"

namespace tuner::space {

/// A name that a condition may use, and the words it may be compared with; without words it is a number.
struct ConditionName {
  std::string name;
  std::vector<std::string> words{};
};

/// A condition that somebody wrote on things by their names, in the expression language of specs (space.hpp):
/// `registers <= 64 && PARTITION == 'row'`. Sizes, limits and time are no names of it.
class NamedCondition {
 public:
  /// Of two equal names the first counts. Throws model::UsageError that points at the mistake.
  NamedCondition(std::string text, const std::vector<ConditionName>& names);
  NamedCondition(NamedCondition&&) noexcept;
  NamedCondition& operator=(NamedCondition&&) noexcept;
  ~NamedCondition();

  /// `values`: parallel to the names. A condition that is undefined does not hold.
  bool holds(const std::vector<model::Value>& values) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> m_compiled;
};

/// Every name that `text` mentions, each once, in the order written. Throws model::UsageError where it cannot
/// be parsed.
std::vector<std::string> names_in(const std::string& text);

}  // namespace tuner::space
