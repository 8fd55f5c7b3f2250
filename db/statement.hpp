#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.hpp"
#include "tuner/model/digest.hpp"

namespace db {

/// The statement of that name in db/sql, put into the binary at build time.
std::string sql(std::string_view name);

}  // namespace db

struct sqlite3_stmt;

namespace db {

/// SQL prepared once. Must not outlive its connection. Throws as Connection does.
class Statement {
 public:
  Statement(const Connection& db, std::string_view sql);

  /// One execution: parameters are bound and columns read in the order they are written; resets at its end,
  /// so that no lock and no value is left behind.
  class Use {
   public:
    explicit Use(sqlite3_stmt* statement) : m_statement(statement) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();

    template <std::integral Integer>
    Use& bind(Integer value) {
      return bind_integer(static_cast<std::int64_t>(value));
    }
    Use& bind(double value);  ///< SQLite has no NaN: stored as NULL
    Use& bind(std::string_view value);
    Use& bind(const std::string& value) { return bind(std::string_view(value)); }
    Use& bind(const char* value) { return bind(std::string_view(value)); }
    Use& bind(const tuner::model::Digest& value);
    Use& bind(std::span<const std::byte> value);
    Use& bind(std::nullopt_t);
    template <typename Value>
    Use& bind(const std::optional<Value>& value) {
      return value ? bind(*value) : bind(std::nullopt);
    }

    /// Binds columns of another statement's row as they are: one, or those from `first` up to `end`. Nothing
    /// is copied: to be run before the other goes on.
    Use& take(const Use& row, int column) { return take(row, column, column + 1); }
    Use& take(const Use& row, int first, int end);

    /// Goes to the next row and back to its first column; false after the last row.
    bool step();
    /// Executes to the end.
    void run();

    std::int64_t integer();
    int small() { return static_cast<int>(integer()); }
    bool flag() { return integer() != 0; }
    double real();  ///< NULL: not a number
    std::string text();
    tuner::model::Digest digest();      ///< NULL: empty
    std::span<const std::byte> blob();  ///< valid until the next step
    /// Whether two columns have the same type and content; NULLs are the same.
    bool is_same(int column, const Use& other, int other_column) const;
    bool null() const;  ///< whether the column that comes next is NULL
    void skip(int columns = 1) { m_column += columns; }
    /// The column that comes next.
    Use& to(int column) {
      m_column = column;
      return *this;
    }

   private:
    Use& bind_integer(std::int64_t value);
    void check(int code) const;

    sqlite3_stmt* m_statement;
    int m_parameter = 0;
    int m_column = 0;
  };

  Use use() { return Use(m_handle.get()); }
  sqlite3_stmt* handle() const { return m_handle.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> m_handle;
};

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
