#include "db/migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "db/statement.hpp"
#include "db/transaction.hpp"
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

}  // namespace db
