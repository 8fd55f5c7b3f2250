#pragma once
#include <string>

#include "tuner/cluster/sweep_status.hpp"

namespace tuner::cli {

/// A row a shard, the last job and a total.
std::string status_table(const cluster::SweepStatus& status, std::size_t columns);
/// The same for programs; `schema_version` says which keys there are.
std::string status_json(const cluster::SweepStatus& status);

}  // namespace tuner::cli
