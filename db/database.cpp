#include "db/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <vector>

#include "db/connection.hpp"
#include "db/statement.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"

namespace db::schema {
std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated from db/schema/
}

namespace db {
namespace {

using tuner::model::Error;

std::int64_t version_of(const Connection& db) {
  return db.integer("PRAGMA user_version");
}

/// Beside the database; a copy of an earlier try is never overwritten.
std::string copy_name(const Connection& db, const Migration& migration) {
  const std::string name = fmt::format("{}.before-{:04}", db.path().string(), migration.version);
  std::string free = name;
  for (int i = 2; std::filesystem::exists(free); ++i) free = fmt::format("{}.{}", name, i);
  return free;
}

void copy_before(const Connection& db, const Migration& migration) {
  Statement copy(db, "VACUUM INTO ?");
  for (;;) {
    const std::string name = copy_name(db, migration);
    try {
      return copy.use().bind(name).run();
    } catch (const Error&) {
      if (!std::filesystem::exists(name)) throw;  // else another process was quicker with that name
    }
  }
}

/// All that are missing, or none: nobody ever meets a database half way between two versions.
void apply(const Connection& db, std::span<const Migration> migrations) {
  // SQLite's own advice for changing tables; checked at the end.
  const UnenforcedKeys unenforced(db);
  Transaction transaction(db);
  const std::int64_t before = version_of(db);
  for (const Migration& migration : migrations) {
    if (migration.version <= before) continue;  // another process may have been quicker
    db.execute(std::string(migration.sql));
    if (const std::string table = db.text("PRAGMA foreign_key_check"); !table.empty()) {
      throw Error(fmt::format("{}: after {} rows of table '{}' refer to nothing; nothing was changed",
                              db.path().string(), migration.name, table));
    }
  }
  db.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id,
                         std::max<std::int64_t>(before, migrations.back().version)));
  transaction.commit();
}

}  // namespace

std::span<const Migration> shipped_migrations() {
  static const std::vector<Migration> migrations = [] {
    std::vector<Migration> list;
    for (const auto& file : schema::embedded_files()) {
      Migration migration{0, file.path, file.text};
      std::from_chars(file.path.data(), file.path.data() + file.path.size(), migration.version);
      list.push_back(migration);
    }
    return list;
  }();
  return migrations;
}

void require_ours(const Connection& db, std::span<const Migration> migrations, std::string_view how_named) {
  const Snapshot snapshot(db);  // another process may be creating it right now
  const std::int64_t id = db.integer("PRAGMA application_id");
  const std::int64_t version = version_of(db);
  const std::string path = db.path().string();
  if (id != application_id) {
    const std::int64_t objects = db.integer("SELECT count(*) FROM sqlite_schema");
    if (id == 0 && version == 0 && objects == 0) return;  // empty: a new one
    throw Error(fmt::format("{}: a database of another program (application id {:#x}, {} tables and indexes)",
                            path, id, objects),
                fmt::format("choose another file{}", how_named));
  }
  if (version > migrations.back().version) {
    throw Error(fmt::format("{}: its schema is version {}, and this program knows versions up to {}", path,
                            version, migrations.back().version),
                fmt::format("use the newer tuner that wrote it, or another database{}", how_named));
  }
}

void migrate(const Connection& db, std::span<const Migration> migrations) {
  const std::int64_t version = version_of(db);
  const auto missing = std::find_if(migrations.begin(), migrations.end(),
                                    [&](const Migration& migration) { return migration.version > version; });
  if (missing == migrations.end()) return;
  if (version > 0) copy_before(db, *missing);
  apply(db, migrations);
}

namespace {

void require_something(const Connection& db, const char* next_step) {
  if (db.integer("PRAGMA user_version") > 0) return;
  throw tuner::model::Error(fmt::format("{}: the database is empty", db.path().string()), next_step,
                            tuner::model::ExitCode::nothing_found);
}

}  // namespace

Connection open_database(const std::filesystem::path& path, const OpenOptions& options,
                         std::span<const Migration> migrations) {
  Connection db(path, options);
  require_ours(db, migrations);
  if (!db.read_only()) {
    db.choose_journal(options.busy_timeout);
    migrate(db, migrations);
    return db;
  }
  require_something(db, "fill it with `tuner run`");
  const std::int64_t version = db.integer("PRAGMA user_version");
  if (version < migrations.back().version) {
    try {
      OpenOptions writing = options;
      writing.mode = Mode::read_write_create;
      open_database(path, writing, migrations);
    } catch (const tuner::model::Error& error) {
      throw tuner::model::Error(
          fmt::format("{}: its schema is version {}, this program reads version {}, and it cannot be brought "
                      "up to date: {}",
                      path.string(), version, migrations.back().version, error.what()),
          "make it writable, or copy it to a folder that is and name the copy with --db");
    }
    return open_database(path, options, migrations);
  }
  return db;
}

Connection open_for_reading(const std::filesystem::path& path) {
  OpenOptions options;
  options.mode = Mode::read_only;
  return open_database(path, options);
}

Connection open_as_it_is(const std::filesystem::path& path, OpenOptions options) {
  options.mode = Mode::read_only;
  Connection db(path, options);
  require_ours(db, shipped_migrations(), "");
  require_something(db, "name a database that holds results");
  return db;
}

Connection open_in_memory() {
  Connection db = Connection::in_memory();
  migrate(db, shipped_migrations());
  return db;
}

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

DeferredIndexes::DeferredIndexes(const Connection& db) : m_db(db) {
  std::vector<std::string> names;
  {
    // An index that guards a key has no statement of its own.
    Statement list(db,
                   "SELECT replace(name, '\"', '\"\"'), sql FROM sqlite_schema "
                   "WHERE type = 'index' AND tbl_name IN ('trials', 'measurements') AND sql IS NOT NULL");
    auto row = list.use();
    while (row.step()) {
      names.push_back(row.text());
      m_statements.push_back(row.text());
    }
  }
  for (const std::string& name : names) db.execute(fmt::format("DROP INDEX \"{}\"", name));
}

void DeferredIndexes::make() const {
  for (const std::string& statement : m_statements) m_db.execute(statement);
}

}  // namespace db
