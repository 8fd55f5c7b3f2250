#pragma once
#include "db/connection.hpp"

namespace db {

/// A transaction that writes: it takes the write lock at once (BEGIN IMMEDIATE), because a transaction that
/// reads first and writes later fails where another writer came between, instead of waiting. Rolled back
/// unless committed.
class Transaction {
 public:
  explicit Transaction(const Connection& db);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  /// On return the rows are on the disk, in the file that lies at the connection's path.
  void commit();

 private:
  const Connection& m_db;
  bool m_open = true;
};

/// Many reads that see one state of the database, and take its lock once. Within a transaction, or another
/// snapshot, it is part of that one.
class Snapshot {
 public:
  explicit Snapshot(const Connection& db);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

 private:
  const Connection& m_db;
  const bool m_outermost;
};

/// Foreign keys are not enforced as long as it lives. To be made outside a transaction, within which the
/// setting cannot change, by whoever checks them, or writes no row before those that it refers to.
class UnenforcedKeys {
 public:
  explicit UnenforcedKeys(const Connection& db);
  UnenforcedKeys(const UnenforcedKeys&) = delete;
  UnenforcedKeys& operator=(const UnenforcedKeys&) = delete;
  ~UnenforcedKeys();

 private:
  const Connection& m_db;
};

/// The CHECKs of tables are not looked at as long as it lives, by whoever copies rows that have passed them.
class UncheckedRows {
 public:
  explicit UncheckedRows(const Connection& db);
  UncheckedRows(const UncheckedRows&) = delete;
  UncheckedRows& operator=(const UncheckedRows&) = delete;
  ~UncheckedRows();

 private:
  const Connection& m_db;
};

/// What is sorted and does not fit into the connection's cache goes to temporary files, instead of staying in
/// memory, as long as it lives. To be made outside a transaction.
class SortingInFiles {
 public:
  explicit SortingInFiles(const Connection& db);
  SortingInFiles(const SortingInFiles&) = delete;
  SortingInFiles& operator=(const SortingInFiles&) = delete;
  ~SortingInFiles();

 private:
  const Connection& m_db;
};

/// Triggers do nothing as long as it lives, by whoever does for many rows at once what they do for each.
class UntriggeredRows {
 public:
  explicit UntriggeredRows(const Connection& db);
  UntriggeredRows(const UntriggeredRows&) = delete;
  UntriggeredRows& operator=(const UntriggeredRows&) = delete;
  ~UntriggeredRows();

 private:
  const Connection& m_db;
};

}  // namespace db
