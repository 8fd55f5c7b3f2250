#pragma once
#include <memory>
#include <optional>
#include <string>

#include "db/statement.hpp"

namespace db {

/// Rows of a table, asked for by id, mostly one after the other as they lie: the next one is at hand, where
/// to look up each would take two searches of a tree. The table has a rowid and an `id`.
class RowWalk {
 public:
  /// `columns`: of the table as `m`, after its id, which is the first.
  RowWalk(const Connection& db, const std::string& table, const std::string& columns);

  /// The row, at the column after its id; null: there is none. Good until the next call.
  Statement::Use* find(const tuner::model::Digest& id);

 private:
  bool next();

  Statement m_place, m_rows;
  std::unique_ptr<Statement::Use> m_row;  ///< null: it stands nowhere
  tuner::model::Digest m_id;              ///< of the row it stands on
};

}  // namespace db
