#include "db/database.hpp"

#include <fmt/format.h>

#include "tuner/model/error.hpp"

namespace db {

Connection open_database(const std::filesystem::path& path, const OpenOptions& options,
                         std::span<const Migration> migrations) {
  Connection db(path, options);
  require_ours(db, migrations);
  if (!db.read_only()) {
    db.choose_journal(options.busy_timeout);
    migrate(db, migrations);
    return db;
  }
  const std::int64_t version = db.integer("PRAGMA user_version");
  if (version == 0) {
    throw tuner::model::Error(fmt::format("{}: the database is empty", path.string()),
                              "fill it with `tuner run`", tuner::model::ExitCode::nothing_found);
  }
  if (version < migrations.back().version) {
    throw tuner::model::Error(fmt::format("{}: its schema is version {}, this program reads version {}",
                                          path.string(), version, migrations.back().version),
                              "any `tuner run`, `import` or `merge` with this --db brings it up to date (a "
                              "copy of the old one is kept)");
  }
  return db;
}

Connection open_for_reading(const std::filesystem::path& path) {
  OpenOptions options;
  options.mode = Mode::read_only;
  return open_database(path, options);
}

}  // namespace db
