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

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> m_handle;
};

}  // namespace db
