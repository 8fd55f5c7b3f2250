#include "db/sqlite_error.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace db {
namespace {

/// The first bytes of a file that is no database, so that its owner recognises it.
std::string beginning(const std::string& path) {
  std::array<char, 12> bytes{};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  std::string out;
  for (std::streamsize i = 0; i < in.gcount(); ++i) {
    const char c = bytes[static_cast<std::size_t>(i)];
    out += c >= 0x20 && c < 0x7F ? c : '.';
  }
  return out;
}

std::string free_space(const std::string& path) {
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), error);
  return error ? "unknown" : fmt::format("{} KiB", space.available / 1024);
}

std::string system_reason(sqlite3* handle) {
  const int number = sqlite3_system_errno(handle);
  return number == 0 ? "" : fmt::format(" ({})", std::strerror(number));
}

}  // namespace

bool SqliteError::is_about_the_row() const {
  return m_result == SQLITE_CONSTRAINT || m_result == SQLITE_MISMATCH || m_result == SQLITE_TOOBIG;
}

SqliteError sqlite_error(sqlite3* handle, std::string_view doing, const std::string& path) {
  const char* known = sqlite3_db_filename(handle, "main");
  const std::string file = path.empty() && known != nullptr ? known : path;
  const int result = sqlite3_extended_errcode(handle) & 0xFF;
  const std::string found = fmt::format("{}{}", sqlite3_errmsg(handle), system_reason(handle));
  const auto error = [&](const std::string& what, std::string hint) {
    return SqliteError(result, fmt::format("{}: {} while {}", file, what, doing), std::move(hint));
  };
  switch (result) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error("the database is locked by another process",
                   "wait for it to finish, or work in another database with --db");
    case SQLITE_FULL:
      return error(fmt::format("no space left, {} free", free_space(file)),
                   "free some space and start again");
    case SQLITE_READONLY:
      return error(
          fmt::format("the database cannot be written: {}", found),
          "check the permissions of the file and of its folder, or choose another database with --db");
    case SQLITE_NOTADB:
      return error(fmt::format("not an SQLite database (it begins with \"{}\")", beginning(file)),
                   "choose another file with --db");
    case SQLITE_CORRUPT:
      return error(fmt::format("the database is damaged: {}", found),
                   fmt::format("save what is readable: sqlite3 '{}' .recover | sqlite3 recovered.db", file));
    case SQLITE_CANTOPEN:
      return error(fmt::format("cannot be opened: {}", found),
                   "check that the file and its folder can be read");
    case SQLITE_IOERR:
      return error(fmt::format("the file system failed: {}", found), "check the disk, then start again");
    case SQLITE_CONSTRAINT:
      return error(fmt::format("a row breaks a rule of the schema: {}", found), "");
    default:
      return error(found, "");
  }
}

}  // namespace db
