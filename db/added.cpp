#include "db/added.hpp"

namespace db {
namespace {

Added count(const Connection& db) {
  // Not count(*), which reads all: a new row gets the rowid after the last, and nobody deletes any meanwhile.
  return {db.integer("SELECT count(*) FROM runs"), db.integer("SELECT max(rowid) FROM trials"),
          db.integer("SELECT max(rowid) FROM measurements")};
}

}  // namespace

AddedCounter::AddedCounter(const Connection& db) : m_db(db), m_before(count(db)) {}

Added AddedCounter::since() const {
  const Added now = count(m_db);
  return {now.runs - m_before.runs, now.trials - m_before.trials, now.measurements - m_before.measurements};
}

}  // namespace db
