#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "db/arrivals.hpp"
#include "db/connection.hpp"

namespace db {

/// Throws model::Error, with what may have been meant, unless the file at `path` is there and a database of
/// the tuner's. To be asked before anything is made for its sake.
void require_mergeable(const std::filesystem::path& path, const OpenOptions& options = {});

struct MergeOptions {
  OpenOptions open;  ///< how the others are opened, the mode aside
  /// What the others declared themselves counts as declared here: a copy answers as the one that it is of.
  bool as_copy = false;
  Judge judge;  ///< of what came, by the specs in force; may be empty
  /// Told of each database when its rows are in; they stay only if merge_databases() returns.
  std::function<void(const std::filesystem::path&, const Added&)> progress;
};

/// Adds to `target` what the databases at `paths` hold and `target` does not; of a trial that both have, the
/// newer figures become current and all measurements are kept. Attempts stay where they are: they are about a
/// machine. One transaction: all of it or nothing. No database is trusted: each is opened read-only, must be
/// intact and have exactly this program's tables, and every row is written under ids made here, in this
/// program's words (Arrivals). Returns what each added, in their order. Throws model::Error that says
/// what did not pass.
std::vector<Added> merge_databases(const Connection& target, const std::vector<std::filesystem::path>& paths,
                                   const MergeOptions& options = {});
/// One of them.
Added merge_database(const Connection& target, const std::filesystem::path& path,
                     const OpenOptions& options = {});

}  // namespace db
