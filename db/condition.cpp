#include "db/condition.hpp"

#include "db/ids.hpp"

namespace db {

void Condition::add(const std::string& clause, Value value) {
  m_clauses.push_back(clause);
  m_values.push_back(std::move(value));
}

std::string Condition::text() const {
  std::string out;
  for (const std::string& clause : m_clauses) out += (out.empty() ? " WHERE " : " AND ") + clause;
  return out;
}

void Condition::bind(Statement::Use& use) const {
  for (const Value& value : m_values) {
    std::visit([&](const auto& v) { use.bind(v); }, value);
  }
}

Condition contest_condition(const TrialFilter& filter) {
  Condition condition;
  if (!filter.family.empty()) condition.add("p.family = ?", filter.family);
  if (!filter.kernel.empty()) condition.add("k.name = ?", filter.kernel);
  if (!filter.device.empty()) condition.add("instr(lower(c.device), lower(?)) > 0", filter.device);
  if (filter.comparison_class) condition.add("n.class = ?", filter.comparison_class->key());
  if (filter.problem) condition.add("n.problem = ?", problem_id(*filter.problem));
  return condition;
}

}  // namespace db
