#pragma once
#include <string>

#include "db/best.hpp"
#include "db/connection.hpp"
#include "db/queries.hpp"

namespace tuner::cli {

/// Writes what `filter` selects in another tuner's format: `kernel-tuner` and `t4` have a file for each
/// kernel, problem and environment, `kernel-launcher` one for each kernel, with what `best` chooses. `path`
/// is a file or standard output where there is one such file, else a folder, made where it ends with `/`.
/// Returns how many files were written. Throws model::UsageError where a folder is needed, model::Error with
/// nothing_found where nothing is selected.
int write_foreign(const db::Connection& connection, const std::string& format, const db::TrialFilter& filter,
                  const std::string& path);

}  // namespace tuner::cli
