#include "db/snapshot.hpp"

#include <sqlite3.h>

#include <memory>

#include "db/sqlite_error.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

void copy_pages(const Connection& source, const Connection& target) {
  struct Finish {
    void operator()(sqlite3_backup* backup) const noexcept { sqlite3_backup_finish(backup); }
  };
  std::unique_ptr<sqlite3_backup, Finish> backup(
      sqlite3_backup_init(target.handle(), "main", source.handle(), "main"));
  constexpr int all_pages = -1;
  const bool done = backup && sqlite3_backup_step(backup.get(), all_pages) == SQLITE_DONE;
  backup.reset();  // which leaves the reason in the target's handle
  if (!done) throw sqlite_error(target.handle(), "copying it", source.path().string());
}

}  // namespace

void snapshot(const Connection& source, const std::filesystem::path& copy) {
  if (std::filesystem::exists(copy))
    throw tuner::model::Error(copy.string() + ": is there already, and no place for a copy");
  // Not VACUUM INTO: over a connection that only reads, SQLite 3.40 fails on tables with generated columns.
  const Connection target(copy, {});
  copy_pages(source, target);
  target.execute("PRAGMA journal_mode = DELETE;");
}

}  // namespace db
