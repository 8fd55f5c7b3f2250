#include "db/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "db/statement.hpp"
#include "tuner/util/text.hpp"

namespace db {
namespace {

/// An answer over many cases comes back to the same pages. SQLite's own 2 MB make it read them hundreds of
/// times. What is not needed is not taken.
constexpr std::int64_t usual_cache_bytes = std::int64_t{64} << 20;

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
  const auto space = std::filesystem::space(std::filesystem::absolute(path).parent_path(), error);
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
  const bool is_full = result == SQLITE_IOERR && sqlite3_system_errno(handle) == ENOSPC;
  switch (is_full ? SQLITE_FULL : result) {
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
    case SQLITE_NOTADB: {
      const std::string begin = beginning(file);
      return {result, fmt::format("{}: not an SQLite database (it begins with \"{}\")", file, begin),
              begin.starts_with('{') ? "an export is read and not written; a database takes what it holds: "
                                       "`tuner import`"
                                     : "choose another file with --db"};
    }
    case SQLITE_CORRUPT:
      return error(
          fmt::format("the database is damaged: {}", found),
          fmt::format(
              "save what is readable, kernel by kernel: tuner export --db {} --kernel NAME -o NAME.jsonl",
              tuner::util::shell_quote(file)));
    case SQLITE_CANTOPEN:
      return error(fmt::format("cannot be opened: {}", found),
                   "check that the file and its folder can be read");
    case SQLITE_IOERR:
      return error(fmt::format("the file system failed: {}", found), "check the disk, then start again");
    case SQLITE_CONSTRAINT:
      return error(fmt::format("a row breaks a rule of the schema: {}", found), "");
    case SQLITE_ERROR:
      if (!found.starts_with("no such ")) break;
      return error(fmt::format("the database was changed by another program: {}", found),
                   fmt::format("a new one takes what is readable: tuner merge {} --db new.db",
                               tuner::util::shell_quote(file)));
    default:
      break;
  }
  return error(found, "");
}

namespace {

struct Kind {
  std::uint32_t magic;
  SharedFileSystem file_system;
};
// Numbers from linux/magic.h and the file systems' own sources. FUSE may be a container's overlay, NTFS or
// sshfs; 9P a folder of the host that a virtual machine runs on; GFS2 and OCFS2 keep POSIX locks for all
// their machines.
constexpr std::array kinds = {
    Kind{0x00006969, {"NFS", true}},   Kind{0x0000517B, {"SMB", true}},
    Kind{0xFE534D42, {"SMB2", true}},  Kind{0xFF534D42, {"CIFS", true}},
    Kind{0x5346414F, {"AFS", true}},   Kind{0x73757245, {"Coda", true}},
    Kind{0x00C36400, {"Ceph", true}},  Kind{0x0BD00BD0, {"Lustre", true}},
    Kind{0x47504653, {"GPFS", true}},  Kind{0x19830326, {"BeeGFS", true}},
    Kind{0xAAD7AAEA, {"PanFS", true}}, Kind{0x65735546, {"FUSE", false}},
    Kind{0x01021997, {"9P", false}},   Kind{0x786F4256, {"vboxsf", false}},
    Kind{0x01161970, {"GFS2", false}}, Kind{0x7461636F, {"OCFS2", false}},
};

}  // namespace

std::optional<SharedFileSystem> shared_file_system(long magic) {
  for (const Kind& kind : kinds) {
    // f_type is signed and as wide as a word: compare the 32 bits that mean something.
    if (static_cast<std::uint32_t>(magic) == kind.magic) return kind.file_system;
  }
  return std::nullopt;
}

std::optional<SharedFileSystem> shared_file_system_of(const std::filesystem::path& path) {
  struct statfs status {};
  for (std::filesystem::path place = std::filesystem::absolute(path);; place = place.parent_path()) {
    if (statfs(place.c_str(), &status) == 0) return shared_file_system(static_cast<long>(status.f_type));
    if (place == place.parent_path()) return std::nullopt;
  }
}

namespace {

namespace fs = std::filesystem;
using tuner::model::Error;
using tuner::model::ExitCode;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

[[noreturn]] void refuse_type(const fs::path& path, fs::file_type type, const std::error_code& error) {
  if (type == fs::file_type::none || type == fs::file_type::unknown) {
    throw Error(fmt::format("{}: cannot be looked at ({})", path.string(), error.message()),
                "check the permissions of its folders, or choose another place with --db");
  }
  if (type == fs::file_type::directory) {
    throw Error(fmt::format("{}: is a folder, not a database", path.string()),
                fmt::format("name a file in it: --db {}", (path / "tuner.db").string()));
  }
  throw Error(fmt::format("{}: is no regular file", path.string()), "name a file with --db");
}

void require_access(const fs::path& path, int mode, const char* what, const char* hint) {
  if (faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0) return;
  throw Error(fmt::format("{}: {} ({})", path.string(), what, std::strerror(errno)), hint);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && fs::is_directory(folder)) return;
  throw Error(fmt::format("{}: cannot be made into a folder for the database ({})", folder.string(),
                          error ? error.message() : "it is a file"),
              "choose another place with --db");
}

[[noreturn]] void refuse_to_write(const fs::path& path, std::string_view file_system) {
  std::string hint = "name a file on a disk of this machine with --db or TUNER_DB";
  if (fs::exists(path))
    hint += fmt::format("; `tuner merge {}` brings into it what is here",
                        tuner::util::shell_quote(path.string()));
  else
    hint += ", and share it with `tuner merge`";
  throw Error(
      fmt::format("{}: lies on {}, where databases that are written get lost", path.string(), file_system),
      hint);
}

/// What SQLite keeps beside a database that is being written, or whose writer died.
std::optional<fs::path> unfinished_part(const fs::path& path) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  for (const char* suffix : {"-wal", "-journal"}) {
    const fs::path part = (error ? path : file).string() + suffix;
    std::error_code missing;
    if (fs::file_size(part, missing) > 0 && !missing) return part;
  }
  return std::nullopt;
}

}  // namespace

void Connection::Close::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

Connection::Connection(const fs::path& path, const OpenOptions& options)
    : m_path(path), m_read_only(options.mode == Mode::read_only) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  const bool exists = type != fs::file_type::not_found;
  if (exists && type != fs::file_type::regular) refuse_type(path, type, error);
  if (m_read_only && !exists) {
    throw Error(fmt::format("{}: no database here yet", path.string()), "make one with `tuner run`",
                ExitCode::nothing_found);
  }
  if (exists) require_access(path, R_OK, "the database cannot be read", "check its permissions, or use --db");
  if (options.file_system) m_file_system = options.file_system(path);
  if (m_read_only) {
    open_for_reading(options);
    return;
  }
  if (m_file_system && m_file_system->breaks_locks) refuse_to_write(path, m_file_system->name);
  make_folder(folder_of(path));
  if (exists)
    require_access(path, W_OK, "the database is read-only", "make it writable, or use another one with --db");
  require_access(folder_of(path), W_OK | X_OK, "the folder of the database cannot be written",
                 "change its permissions, or choose another place with --db");
  open_for_writing(options);
}

Connection::Connection() : m_path(":memory:"), m_read_only(false) {
  open(m_path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, {});
  execute("PRAGMA foreign_keys = ON;");
}

void Connection::open(const std::string& name, int flags, const OpenOptions& options) {
  // SQLite counts its memory under a lock, for limits that are not set here. It can be told before its first
  // use.
  [[maybe_unused]] static const int told = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                   options.vfs.empty() ? nullptr : options.vfs.c_str());
  m_handle.reset(handle);  // to be closed even where opening failed
  if (code != SQLITE_OK) throw sqlite_error(handle, "opening it", m_path.string());
  sqlite3_busy_timeout(handle, static_cast<int>(options.busy_timeout.count()));
  // Schemas come from strangers too: no tricks with shadow tables, no functions with side effects in views.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  execute("PRAGMA temp_store = MEMORY;");
}

void Connection::open_for_reading(const OpenOptions& options) {
  if (m_file_system && m_file_system->breaks_locks) {
    if (const auto part = unfinished_part(m_path)) {
      throw Error(fmt::format("{}: lies on {} with {} beside it: it is being written, or its writer died",
                              m_path.string(), m_file_system->name, part->filename().string()),
                  "copy both to a disk of this machine, once no program writes, and name the copy");
    }
    return open_without_lock(options);
  }
  open(fs::absolute(m_path).string(), SQLITE_OPEN_READONLY, options);
  try {
    integer("PRAGMA schema_version");
    set_cache(usual_cache_bytes);
  } catch (const SqliteError& error) {
    // A WAL database in a folder that takes no files cannot be locked. Without a log beside it no program is
    // writing either, so it can be read as it stands.
    const bool unlockable = error.result() == SQLITE_CANTOPEN || error.result() == SQLITE_READONLY;
    if (!unlockable) throw;
    const fs::path log = m_path.string() + "-wal";
    if (fs::exists(log)) {
      throw Error(
          fmt::format(
              "{}: {} beside it holds results, and reading them takes a lock that cannot be made here",
              m_path.string(), log.filename().string()),
          "copy both to a folder that can be written, and name the copy");
    }
    open_without_lock(options);
    m_notice = fmt::format("{}: its folder cannot be written, so it is read without a lock", m_path.string());
  }
}

void Connection::open_without_lock(const OpenOptions& options) {
  m_unlocked = stamp_of(m_path);
  // As a URI, since only those have parameters.
  const std::string uri =
      "file:" + tuner::util::percent_encoded(fs::absolute(m_path).string()) + "?immutable=1";
  open(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, options);
  integer("PRAGMA schema_version");
  set_cache(usual_cache_bytes);
}

Connection::Stamp Connection::stamp_of(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return {bytes, fs::last_write_time(path, error)};
}

void Connection::open_for_writing(const OpenOptions& options) {
  open(fs::absolute(m_path).string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options);
  // A sweep changes the same pages again and again: 32 MB of log are copied back at once, each page once.
  execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8192;");
  integer("PRAGMA schema_version");  // the first read: whether it is a database at all
  set_cache(usual_cache_bytes);
}

void Connection::choose_journal(std::chrono::milliseconds timeout) {
  const std::string wanted = m_file_system ? "delete" : "wal";
  // Changing the mode needs the file alone, and SQLite does not wait for that as it waits for a transaction.
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (text("PRAGMA journal_mode") != wanted) {
    try {
      if (text("PRAGMA journal_mode = " + wanted) != wanted) break;
    } catch (const SqliteError& error) {
      if (error.result() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (m_file_system) {
    m_notice =
        fmt::format("{} lies on {}, which may be another machine's", m_path.string(), m_file_system->name);
  } else if (text("PRAGMA journal_mode") != wanted) {
    m_notice = fmt::format("{} lies where processes cannot share memory", m_path.string());
  }
  if (!m_notice.empty()) {
    m_notice += ", so write-ahead logging does not work: using a rollback journal, which is slower";
  }
}

void Connection::execute(const std::string& sql) const {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  throw sqlite_error(handle(), fmt::format("executing '{}'", sql.substr(0, 60)), m_path.string());
}

std::int64_t Connection::integer(const std::string& sql) const {
  return Statement(*this, sql).first(&Statement::Use::integer).value_or(0);
}

std::string Connection::text(const std::string& sql) const {
  return Statement(*this, sql).first(&Statement::Use::text).value_or("");
}

std::int64_t Connection::changes() const {
  return sqlite3_changes64(handle());
}

void Connection::set_cache(std::int64_t bytes) const {
  execute(fmt::format("PRAGMA cache_size = -{}", bytes / 1024));
}

void Connection::distrust() const {
  // What the schema's CHECKs allow, and a little for the row around it.
  constexpr int longest_value = 17 << 20;
  sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, longest_value);
  execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;");
}

void Connection::require_in_place() const {
  if (m_path == ":memory:") return;
  int moved = 0;
  const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code != SQLITE_OK || moved == 0) return;
  // What was committed is in a log that keeps the former name: into the file, wherever that is now. It cannot
  // be done within a transaction, and this one is over.
  if (sqlite3_get_autocommit(handle()) == 0) sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_wal_checkpoint_v2(handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  throw DatabaseGone(fmt::format("{}: the database was deleted or moved while in use", m_path.string()),
                     "put it back, or start again: what is in the old file is not measured again");
}

void Connection::require_unwritten() const {
  if (!m_unlocked || *m_unlocked == stamp_of(m_path)) return;
  throw Error(fmt::format("{}: was written while it was read without a lock", m_path.string()),
              "read it again once no program writes it");
}

}  // namespace db
