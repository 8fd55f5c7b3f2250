#include "db/row_walk.hpp"

#include <fmt/format.h>

namespace db {

using tuner::model::Digest;

RowWalk::RowWalk(const Connection& db, const std::string& table, const std::string& columns)
    : m_place(db, fmt::format("SELECT rowid FROM {} WHERE id = ?", table)),
      m_rows(db, fmt::format("SELECT m.id, {} FROM {} AS m WHERE m.rowid >= ? ORDER BY m.rowid", columns,
                             table)) {}

Statement::Use* RowWalk::find(const Digest& id) {
  const bool is_here = m_row != nullptr && (m_id == id || (next() && m_id == id));
  if (!is_here) {
    m_row.reset();
    auto place = m_place.use();
    place.bind(id);
    if (!place.step()) return nullptr;
    m_row.reset(new Statement::Use(m_rows.use()));
    m_row->bind(place.integer());
    if (!next() || m_id != id) return nullptr;
  }
  return &m_row->to(1);
}

bool RowWalk::next() {
  if (!m_row->step()) {
    m_row.reset();
    return false;
  }
  m_id = m_row->digest();
  return true;
}

}  // namespace db
