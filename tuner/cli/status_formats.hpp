#pragma once
#include <string>

#include "reports/table.hpp"
#include "tuner/cluster/sweep_status.hpp"

namespace tuner::cli {

/// A row a shard, the last job and a total.
std::string status_table(const cluster::SweepStatus& status, const reports::Screen& screen);
/// The same for programs; `schema_version` says which keys there are.
std::string status_json(const cluster::SweepStatus& status);

}  // namespace tuner::cli
