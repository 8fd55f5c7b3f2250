#pragma once
#include <filesystem>

#include "db/added.hpp"
#include "db/connection.hpp"

namespace db {

/// Adds to `target` what the database at `path` holds and `target` does not; of a trial that both have, the
/// newer figures become current and all measurements are kept. Attempts stay where they are: they are about a
/// machine. One transaction: all of it or nothing. `path` is not trusted: it is opened read-only, must be
/// intact and have exactly this program's tables, and every row is read into a value, checked, and written
/// anew under ids made here. `options`: how `path` is opened, its mode aside. Throws model::Error that says
/// what did not pass.
Added merge_database(const Connection& target, const std::filesystem::path& path,
                     const OpenOptions& options = {});

}  // namespace db
