#include "db/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "db/connection.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_records.hpp"
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
std::string copy_name(const Connection& db, const Schema& schema) {
  const std::string name = fmt::format("{}.before-{:04}", db.path().string(), schema.version);
  std::string free = name;
  for (int i = 2; std::filesystem::exists(free); ++i) free = fmt::format("{}.{}", name, i);
  return free;
}

void copy_before(const Connection& db, const Schema& schema) {
  Statement copy(db, "VACUUM INTO ?");
  for (;;) {
    const std::string name = copy_name(db, schema);
    try {
      return copy.run(name);
    } catch (const Error&) {
      if (!std::filesystem::exists(name)) throw;  // else another process was quicker with that name
    }
  }
}

/// All of it or nothing: no program ever meets a database half way between two versions.
void apply(const Connection& db, const Schema& schema) {
  // SQLite's own advice for changing tables; checked at the end.
  const Setting unenforced = unenforced_keys(db);
  Transaction transaction(db);
  const std::int64_t before = version_of(db);
  if (before >= schema.version) return;  // another process was quicker
  if (before == 0) {
    db.execute(schema.create);
  } else {
    schema.upgrade(db);
    if (const std::string table = db.text("PRAGMA foreign_key_check"); !table.empty()) {
      throw Error(fmt::format("{}: in version {} rows of table '{}' refer to nothing; nothing was changed",
                              db.path().string(), schema.version, table));
    }
  }
  db.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, schema.version));
  transaction.commit();
}

std::string schema_file(std::string_view name) {
  for (const auto& file : schema::embedded_files())
    if (file.path == name) return std::string(file.text);
  throw std::logic_error(fmt::format("db/schema has no {}", name));
}

template <class T>
const T& default_of() {
  static const T value{};
  return value;
}

/// The tables and views in db/schema, with what their marks stand for.
std::string create_statements() {
  Columns verification;
  verification(tuner::model::Figure{"verification", ""}, default_of<tuner::model::Verification>());
  const std::pair<const char*, std::string> marks[] = {
      {"{environment columns}", columns_of<tuner::model::Environment>().definitions()},
      {"{problem columns}", columns_of<tuner::model::Problem>().definitions()},
      {"{resources columns}", columns_of<tuner::model::KernelResources>().definitions()},
      {"{trial columns}", columns_of<tuner::model::TrialRecord>().definitions()},
      {"{measurement columns}", columns_of<tuner::model::Measurement>().definitions()},
      {"{verification columns}", verification.definitions()},
      {"{outlook columns}", columns_of<tuner::model::Outlook>().definitions(Columns::Null::allowed)},
      {"{verification}", verification.names()},
      {"{OLD.verification}", verification.names("OLD.")},
      {"{keep the later failure}", keep_later_failure()}};
  std::string text = schema_file("tables.sql") + schema_file("views.sql");
  for (const auto& [mark, columns] : marks) text.replace(text.find(mark), std::strlen(mark), columns);
  return text;
}

/// The rows of a table of before, called `old` meanwhile: what it lacks stays unknown.
void copy_rows(const Connection& db, const std::string& old, const std::string& table) {
  const auto columns = Statement(db, "SELECT name FROM pragma_table_info(?)").all(&Statement::Use::text, old);
  const std::string names = fmt::format("{}", fmt::join(columns, ", "));
  const bool has_rowid = db.integer(fmt::format("SELECT wr = 0 FROM pragma_table_list('{}')", old)) != 0;
  db.execute(fmt::format("INSERT INTO \"{0}\" ({1}) SELECT {1} FROM \"{2}\"{3}", table, names, old,
                         has_rowid ? " ORDER BY rowid" : ""));
}

/// The tables of an older version get other names, and their rows are copied into those of this one.
void upgrade(const Connection& db) {
  const std::int64_t before = version_of(db);
  db.execute("PRAGMA legacy_alter_table = ON");  // no table follows another to its new name
  for (const char* type : {"view", "trigger", "index"}) {
    const auto names = Statement(db, "SELECT name FROM sqlite_schema WHERE type = ? AND sql <> ''")
                           .all(&Statement::Use::text, type);
    for (const std::string& name : names) db.execute(fmt::format("DROP {} \"{}\"", type, name));
  }
  const auto tables =
      Statement(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
          .all(&Statement::Use::text);
  const auto old = [&](const std::string& name) { return fmt::format("v{}_{}", before, name); };
  for (const std::string& name : tables)
    db.execute(fmt::format("ALTER TABLE \"{}\" RENAME TO \"{}\"", name, old(name)));
  db.execute(shipped_schema().create);
  if (before == 8) {
    db.execute(schema_file("from_8.sql"));
  } else {
    for (const std::string& name : tables)
      if (name != "tallies") copy_rows(db, old(name), name);  // triggers count them
  }
  for (const std::string& name : tables) db.execute(fmt::format("DROP TABLE \"{}\"", old(name)));
  db.execute("PRAGMA legacy_alter_table = OFF");
}

}  // namespace

std::string views_text() {
  return schema_file("views.sql");
}

const Schema& shipped_schema() {
  static const Schema schema{schema_version, oldest_schema_version, create_statements(), upgrade};
  return schema;
}

void require_ours(const Connection& db, const Schema& schema, std::string_view how_named) {
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
  if (version < schema.oldest) {
    throw Error(
        fmt::format("{}: its schema is version {}, and this program reads versions {} to {}", path, version,
                    schema.oldest, schema.version),
        "the tuner 0.1.0 of 2026-11-23 reads it: export it there, and add the file here with `tuner import`");
  }
  if (version > schema.version) {
    throw Error(fmt::format("{}: its schema is version {}, and this program knows versions up to {}", path,
                            version, schema.version),
                fmt::format("use the newer tuner that wrote it, or another database{}", how_named));
  }
}

namespace {

/// Creates the schema, or upgrades an older one in one transaction.
void migrate(const Connection& db, const Schema& schema) {
  const std::int64_t version = version_of(db);
  if (version >= schema.version) return;
  if (version > 0) copy_before(db, schema);
  apply(db, schema);
}

void require_something(const Connection& db, const char* next_step) {
  if (db.integer("PRAGMA user_version") > 0) return;
  throw tuner::model::Error(fmt::format("{}: the database is empty", db.path().string()), next_step,
                            tuner::model::ExitCode::nothing_found);
}

}  // namespace

Connection open_database(const std::filesystem::path& path, const OpenOptions& options,
                         const Schema& schema) {
  Connection db(path, options);
  require_ours(db, schema);
  if (!db.read_only()) {
    db.choose_journal(options.busy_timeout);
    migrate(db, schema);
    return db;
  }
  require_something(db, "fill it with `tuner run`");
  const std::int64_t version = db.integer("PRAGMA user_version");
  if (version < schema.version) {
    try {
      OpenOptions writing = options;
      writing.mode = Mode::read_write_create;
      open_database(path, writing, schema);
    } catch (const tuner::model::Error& error) {
      throw tuner::model::Error(
          fmt::format("{}: its schema is version {}, this program reads version {}, and it cannot be brought "
                      "up to date: {}",
                      path.string(), version, schema.version, error.what()),
          "make it writable, or copy it to a folder that is and name the copy with --db");
    }
    return open_database(path, options, schema);
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
  require_ours(db, shipped_schema(), "");
  require_something(db, "name a database that holds results");
  return db;
}

Connection open_in_memory() {
  Connection db;
  migrate(db, shipped_schema());
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

namespace {

std::uintmax_t bytes_of(const std::vector<std::filesystem::path>& files) {
  std::uintmax_t bytes = 0;
  for (const auto& file : files) {
    std::error_code error;
    const std::uintmax_t its = std::filesystem::file_size(file, error);
    bytes += error ? 0 : its;
  }
  return bytes;
}

}  // namespace

DeferredIndexes::DeferredIndexes(const Connection& db, const std::vector<std::filesystem::path>& files)
    : m_db(db) {
  const std::int64_t there = db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
  if (bytes_of(files) >= static_cast<std::uintmax_t>(there) / 2) m_statements = drop();
}

DeferredIndexes::DeferredIndexes(const Connection& db) : m_db(db), m_statements(drop()) {}

std::vector<std::string> DeferredIndexes::drop() const {
  // An index that guards a key has no statement of its own.
  const auto indexes =
      Statement(m_db,
                "SELECT replace(name, '\"', '\"\"'), sql FROM sqlite_schema "
                "WHERE type = 'index' AND tbl_name IN ('trials', 'measurements') AND sql IS NOT NULL")
          .all([](Statement::Use& row) {
            return std::pair{row.text(), row.text()};
          });
  std::vector<std::string> statements;
  for (const auto& [name, statement] : indexes) {
    m_db.execute(fmt::format("DROP INDEX \"{}\"", name));
    statements.push_back(statement);
  }
  return statements;
}

void DeferredIndexes::make() const {
  // As much again is sorted at a time.
  constexpr std::int64_t cache_bytes = std::int64_t{128} << 20;
  if (!m_statements.empty()) m_db.set_cache(cache_bytes);
  for (const std::string& statement : m_statements) m_db.execute(statement);
}

}  // namespace db
