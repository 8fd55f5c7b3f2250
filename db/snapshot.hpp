#pragma once
#include <filesystem>

#include "db/connection.hpp"

namespace db {

/// A copy of `source` as it is at one moment, in a new file, whatever other processes write meanwhile; one
/// file without a log beside it, so that it may be moved to where databases cannot be used. Throws where
/// `copy` is there already.
void snapshot(const Connection& source, const std::filesystem::path& copy);

}  // namespace db
