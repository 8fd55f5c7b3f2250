#include "db/transaction.hpp"

#include <sqlite3.h>

#include <type_traits>

#include "tuner/model/error.hpp"

namespace db {

static_assert(std::is_nothrow_destructible_v<Transaction> && std::is_nothrow_destructible_v<Snapshot>);

namespace {

/// After some failures (a full disk) SQLite has rolled back by itself already; then there is nothing to end.
void roll_back(const Connection& db) noexcept {
  if (sqlite3_get_autocommit(db.handle()) == 0) {
    sqlite3_exec(db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

}  // namespace

Transaction::Transaction(const Connection& db) : m_db(db) {
  db.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (m_open) roll_back(m_db);
}

void Transaction::commit() {
  m_db.require_in_place();
  m_db.execute("COMMIT");
  m_open = false;
  // Again: deleted in between, the commit went into a file that is gone with this process.
  m_db.require_in_place();
}

Snapshot::Snapshot(const Connection& db) : m_db(db), m_outermost(sqlite3_get_autocommit(db.handle()) != 0) {
  if (m_outermost) db.execute("BEGIN");
}

Snapshot::~Snapshot() {
  if (m_outermost) roll_back(m_db);
}

UnenforcedKeys::UnenforcedKeys(const Connection& db) : m_db(db) {
  m_db.execute("PRAGMA foreign_keys = OFF");
}

UnenforcedKeys::~UnenforcedKeys() {
  try {
    m_db.execute("PRAGMA foreign_keys = ON");
  } catch (const tuner::model::Error&) {
    // Only a transaction that could not be rolled back refuses; every later statement will fail and say why.
  }
}

UncheckedRows::UncheckedRows(const Connection& db) : m_db(db) {
  m_db.execute("PRAGMA ignore_check_constraints = ON");
}

UncheckedRows::~UncheckedRows() {
  // Nothing to open, read or write, so it cannot fail for a reason outside this program.
  sqlite3_exec(m_db.handle(), "PRAGMA ignore_check_constraints = OFF", nullptr, nullptr, nullptr);
}

SortingInFiles::SortingInFiles(const Connection& db) : m_db(db) {
  m_db.execute("PRAGMA temp_store = FILE");
}

SortingInFiles::~SortingInFiles() {
  // Only a transaction that could not be rolled back refuses; what is sorted then takes longer.
  sqlite3_exec(m_db.handle(), "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
}

UntriggeredRows::UntriggeredRows(const Connection& db) : m_db(db) {
  sqlite3_db_config(m_db.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
}

UntriggeredRows::~UntriggeredRows() {
  sqlite3_db_config(m_db.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, nullptr);
}

}  // namespace db
