#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.hpp"

namespace db {

/// `application_id` in the header of every database of the tuner: "tune" in ASCII.
constexpr std::int64_t application_id = 0x74756e65;

constexpr int schema_version = 12;
constexpr int oldest_schema_version = 8;  ///< that is upgraded

/// A version of the schema, and how older ones become it.
struct Schema {
  int version = 0;  ///< `user_version` in the header
  int oldest = 0;   ///< that can be upgraded
  std::string create;
  std::function<void(const Connection&)> upgrade;  ///< within a transaction
};

/// The one in db/schema/.
const Schema& shipped_schema();

/// The statements that make this program's views.
std::string views_text();

/// Throws where the open file is not the tuner's, of a newer schema, or of one that is too old to be
/// upgraded. `how_named` is how its user named it, and can name another.
void require_ours(const Connection& db, const Schema& schema, std::string_view how_named = " with --db");

/// Opens the tuner's database. For writing it is created or brought up to date as needed; before that a copy
/// is put beside it, `tuner.db.before-0012`. Several processes may do this at once. For reading it must exist
/// and have this program's schema; that costs two reads of the file's header, so a query takes milliseconds.
/// One of an older schema is brought up to date where it can be written. Throws model::Error on whatever else
/// lies at `path`: a folder, no SQLite, another program's database, a newer schema.
Connection open_database(const std::filesystem::path& path, const OpenOptions& options = {},
                         const Schema& schema = shipped_schema());

/// Opens for reading whatever version its schema has, and changes nothing.
Connection open_as_it_is(const std::filesystem::path& path, OpenOptions options = {});

/// Opens for reading; the short form for queries.
Connection open_for_reading(const std::filesystem::path& path);

/// An empty database of this program's schema, in memory.
Connection open_in_memory();

/// A copy of `source` as it is at one moment, in a new file, whatever other processes write meanwhile; one
/// file without a log beside it, so that it may be moved to where databases cannot be used. Throws where
/// `copy` is there already.
void snapshot(const Connection& source, const std::filesystem::path& copy);

/// The indexes of trials and measurements, dropped when it is made and made again by make(): to sort all
/// entries at once takes a third of the time of putting each where it belongs. Within one transaction of the
/// caller, so that no other program ever sees the tables without them and a crash leaves them as they were.
/// What guards a key stays, and with it what looks a row up by its id.
class DeferredIndexes {
 public:
  explicit DeferredIndexes(const Connection& db);
  /// Defers nothing where `files` bring less than half of what is there: all entries are sorted anew, also of
  /// what is there already.
  DeferredIndexes(const Connection& db, const std::vector<std::filesystem::path>& files);
  /// Sorts in temporary files what is more than the connection's cache.
  void make() const;

 private:
  /// The statements that make them again.
  std::vector<std::string> drop() const;

  const Connection& m_db;
  std::vector<std::string> m_statements;
};

}  // namespace db
