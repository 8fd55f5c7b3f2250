#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/digest.hpp"

namespace tuner::cli {

/// The runs whose identifiers begin with `prefix`.
std::vector<model::Digest> runs_named(const db::Connection& connection, const std::string& prefix);

/// The one run. Throws model::UsageError where `prefix` is no beginning of an identifier or of several, and
/// model::Error with nothing_found where it is of none.
model::Digest run_named(const db::Connection& connection, const std::string& prefix);

}  // namespace tuner::cli
