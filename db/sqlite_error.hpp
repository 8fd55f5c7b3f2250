#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "tuner/model/error.hpp"

struct sqlite3;

namespace db {

/// A failure that SQLite reported.
class SqliteError : public tuner::model::Error {
 public:
  SqliteError(int result, std::string message, std::string hint)
      : Error(std::move(message), std::move(hint)), m_result(result) {}
  /// SQLite's primary result code: SQLITE_BUSY, SQLITE_FULL, …
  int result() const { return m_result; }
  /// Whether it is what a row says that was refused, so that another row may well be taken.
  bool is_about_the_row() const;

 private:
  int m_result;
};

/// The database's file is no longer where it was opened.
class DatabaseGone : public tuner::model::Error {
 public:
  using Error::Error;
};

/// The failure that `handle` remembers, as an error that names the file, what was being done, what was found
/// and the next step. `path` stands in where the handle does not know its file yet.
SqliteError sqlite_error(sqlite3* handle, std::string_view doing, const std::string& path = "");

}  // namespace db
