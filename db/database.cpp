#include "db/database.hpp"

#include <fmt/format.h>

#include "tuner/model/error.hpp"

namespace db {

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

}  // namespace db
