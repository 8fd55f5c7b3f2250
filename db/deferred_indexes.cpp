#include "db/deferred_indexes.hpp"

#include <fmt/format.h>

#include "db/statement.hpp"

namespace db {

DeferredIndexes::DeferredIndexes(const Connection& db) : m_db(db) {
  std::vector<std::string> names;
  {
    // An index that guards a key has no statement of its own.
    Statement list(db,
                   "SELECT replace(name, '\"', '\"\"'), sql FROM sqlite_schema "
                   "WHERE type = 'index' AND tbl_name IN ('trials', 'measurements') AND sql IS NOT NULL");
    auto row = list.use();
    while (row.step()) {
      names.push_back(row.text());
      m_statements.push_back(row.text());
    }
  }
  for (const std::string& name : names) db.execute(fmt::format("DROP INDEX \"{}\"", name));
}

void DeferredIndexes::make() const {
  for (const std::string& statement : m_statements) m_db.execute(statement);
}

}  // namespace db
