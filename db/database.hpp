#pragma once
#include <filesystem>
#include <span>

#include "db/connection.hpp"
#include "db/migration.hpp"

namespace db {

/// Opens the tuner's database. For writing it is created or brought up to date as needed. For reading it must
/// exist and have this program's schema; that costs two reads of the file's header, so a query takes
/// milliseconds. One of an older schema is brought up to date where it can be written. Throws model::Error on
/// whatever else lies at `path`: a folder, no SQLite, another program's database, a newer schema.
Connection open_database(const std::filesystem::path& path, const OpenOptions& options = {},
                         std::span<const Migration> migrations = shipped_migrations());

/// Opens for reading whatever version its schema has, and changes nothing.
Connection open_as_it_is(const std::filesystem::path& path, OpenOptions options = {});

/// Opens for reading; the short form for queries.
Connection open_for_reading(const std::filesystem::path& path);

/// An empty database of this program's schema, in memory.
Connection open_in_memory();

}  // namespace db
