#pragma once
#include <filesystem>

#include "db/added.hpp"
#include "db/connection.hpp"

namespace db {

/// How rows are brought over: as they are where that comes to the same and is faster, or each as a value,
/// which is for comparing the two.
enum class Rows { as_they_are, as_values };

/// Throws model::Error, with what may have been meant, unless the file at `path` is there and a database of
/// the tuner's. To be asked before anything is made for its sake.
void require_mergeable(const std::filesystem::path& path, const OpenOptions& options = {});

/// Adds to `target` what the database at `path` holds and `target` does not; of a trial that both have, the
/// newer figures become current and all measurements are kept. Attempts stay where they are: they are about a
/// machine. One transaction: all of it or nothing. `path` is not trusted: it is opened read-only, must be
/// intact and have exactly this program's tables, and every row is checked, and
/// written under ids made here: as it is where it says just what this program would write, else anew from a
/// value. `options`: how `path` is opened, its mode aside. Throws model::Error that says
/// what did not pass.
Added merge_database(const Connection& target, const std::filesystem::path& path,
                     const OpenOptions& options = {}, Rows rows = Rows::as_they_are);

}  // namespace db
