#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/digest.hpp"

struct sqlite3_stmt;

namespace db {

/// The statement of that name in db/sql, put into the binary at build time, with the columns that its marks
/// stand for.
std::string sql(std::string_view name);

/// SQL prepared once. Must not outlive its connection. Throws as Connection does.
class Statement {
 public:
  Statement(const Connection& db, std::string_view sql);

  /// One execution: parameters are bound and columns read in the order they are written; resets at its end,
  /// so that no lock and no value is left behind.
  class Use {
   public:
    explicit Use(sqlite3_stmt* statement) : m_statement(statement) {}
    template <class... Values>
    explicit Use(sqlite3_stmt* statement, const Values&... values) : Use(statement) {
      (bind(values), ...);
    }
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
    template <typename Values>
    requires requires(const Values& values, Use& use) { values.bind_to(use); }
    Use& bind(const Values& values) {
      values.bind_to(*this);
      return *this;
    }

    /// Binds all columns of another statement's row as they are. Nothing is copied: to be run before the
    /// other goes on.
    Use& take(const Use& row);

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
    bool null() const;                  ///< whether the column that comes next is NULL
    void skip(int columns = 1) { m_column += columns; }

   private:
    Use& bind_integer(std::int64_t value);
    void check(int code) const;

    sqlite3_stmt* m_statement;
    int m_parameter = 0;
    int m_column = 0;
  };

  /// `values` are those of the first parameters.
  template <class... Values>
  Use use(const Values&... values) {
    return Use(m_handle.get(), values...);
  }
  template <class... Values>
  void run(const Values&... values) {
    use(values...).run();
  }
  /// What `read` makes of each row.
  template <class Read, class... Values>
  auto all(const Read& read, const Values&... values) {
    std::vector<std::invoke_result_t<Read, Use&>> list;
    auto row = use(values...);
    while (row.step()) list.push_back(std::invoke(read, row));
    return list;
  }
  /// What `read` makes of the first row; nothing where there is none.
  template <class Read, class... Values>
  auto first(const Read& read, const Values&... values) {
    std::optional<std::invoke_result_t<Read, Use&>> found;
    if (auto row = use(values...); row.step()) found.emplace(std::invoke(read, row));
    return found;
  }

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

/// A setting of a connection that holds as long as the object lives, by statements that set it and undo it.
class Setting {
 public:
  Setting(const Connection& db, const std::string& set, std::string undo);
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  /// Only a transaction that could not be rolled back refuses; every later statement then fails and says why.
  ~Setting();

 private:
  const Connection& m_db;
  std::string m_undo;
};

/// As long as it lives, `say` hears now and then how many rows were written since, while statements are
/// executed. It must not use the connection.
class Watch {
 public:
  Watch(const Connection& db, std::function<void(std::int64_t rows)> say);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  sqlite3* m_handle;
  std::function<void(std::int64_t)> m_say;
  std::int64_t m_before;
};

/// Foreign keys are not enforced. To be made outside a transaction, within which the setting cannot change,
/// by code that checks them, or writes no row before those that it refers to.
Setting unenforced_keys(const Connection& db);
/// What is sorted and does not fit into the connection's cache goes to temporary files, instead of staying in
/// memory. To be made outside a transaction.
Setting sorting_in_files(const Connection& db);

}  // namespace db
