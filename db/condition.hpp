#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "db/queries.hpp"
#include "db/statement.hpp"

namespace db {

/// A WHERE clause put together from parts, with the values of its parameters.
class Condition {
 public:
  using Value = std::variant<std::int64_t, std::string, tuner::model::Digest>;

  void add(const std::string& clause) { m_clauses.push_back(clause); }
  void add(const std::string& clause, Value value);
  /// ` WHERE … AND …`, or nothing.
  std::string text() const;
  void bind(Statement::Use& use) const;

 private:
  std::vector<std::string> m_clauses;
  std::vector<Value> m_values;
};

/// The part of a filter that names contests: in the tables p(roblems), n (contests), c(lasses), k(ernels).
Condition contest_condition(const TrialFilter& filter);

}  // namespace db
