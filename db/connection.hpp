#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
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

/// A file system that several machines, or programs in user space, may share.
struct SharedFileSystem {
  std::string_view name;  ///< as people call it: NFS
  /// Known for locks that fail, are not everybody's, or end with a connection: databases written there were
  /// lost. Where it is false, locks hold as far as is known, but processes cannot share memory.
  bool breaks_locks = false;
};

/// By the magic number that statfs(2) gives; absent for what is local.
std::optional<SharedFileSystem> shared_file_system(long magic);
/// Of the file or folder at `path`; only the nearest folder above it need exist.
std::optional<SharedFileSystem> shared_file_system_of(const std::filesystem::path& path);

enum class Mode { read_only, read_write_create };

struct OpenOptions {
  Mode mode = Mode::read_write_create;
  std::chrono::milliseconds busy_timeout{10'000};  ///< how long to wait for another process's transaction
  std::string vfs;  ///< name of a registered SQLite VFS; empty: the default one
  /// Tells what lies under a path. Empty: no other program can know of the file, so any place will do.
  std::function<std::optional<SharedFileSystem>(const std::filesystem::path&)> file_system =
      shared_file_system_of;
};

/// An open SQLite file, set up but with its contents not looked at yet (see database.hpp).
/// Writing: the parent folder is made, WAL with synchronous=FULL, or a rollback journal where processes
/// cannot share memory; refused on a file system that breaks locks. Reading never makes or changes a
/// database; on such a file system it takes no lock, and is refused while somebody may be writing. Throws
/// model::Error that names the path, what was found there and the next step; a file missing on reading has
/// ExitCode::nothing_found.
class Connection {
 public:
  Connection(const std::filesystem::path& path, const OpenOptions& options);
  /// An empty database in memory that no other program sees, gone with the object.
  Connection();

  const std::filesystem::path& path() const { return m_path; }
  bool read_only() const { return m_read_only; }
  /// Something a user should know of how the file was opened (no WAL, no lock); usually empty.
  const std::string& notice() const { return m_notice; }

  /// Chooses write-ahead logging or, where processes cannot share memory, a rollback journal (said in
  /// notice()). Apart from opening, because it changes the file: first know that it is ours.
  void choose_journal(std::chrono::milliseconds timeout);
  /// Runs one or several statements that return nothing of interest.
  void execute(const std::string& sql) const;
  /// The integer that a statement's first row starts with: `PRAGMA user_version`.
  std::int64_t integer(const std::string& sql) const;
  /// The text that a statement's first row starts with: `PRAGMA journal_mode`.
  std::string text(const std::string& sql) const;
  /// Rows that the statement executed last inserted, changed or deleted.
  std::int64_t changes() const;
  /// So many bytes of the file are kept in memory at most, instead of 2 MB.
  void set_cache(std::int64_t bytes) const;
  /// Before reading what a stranger wrote: no value longer than this program stores, cells checked as they
  /// are read.
  void distrust() const;
  /// Throws where the file was deleted or replaced: SQLite would go on committing into a file that no program
  /// can find.
  void require_in_place() const;
  /// Throws where what is read without a lock was written meanwhile.
  void require_unwritten() const;

  sqlite3* handle() const { return m_handle.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };

  void open(const std::string& name, int flags, const OpenOptions& options);
  void open_for_reading(const OpenOptions& options);
  void open_without_lock(const OpenOptions& options);
  void open_for_writing(const OpenOptions& options);

  std::filesystem::path m_path;
  bool m_read_only;
  std::string m_notice;
  std::optional<SharedFileSystem> m_file_system;
  /// What the file was when it was opened without a lock.
  struct Stamp {
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type written;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& path);
  std::optional<Stamp> m_unlocked;
  std::unique_ptr<sqlite3, Close> m_handle;
};

}  // namespace db
