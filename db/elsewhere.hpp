#pragma once
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// See model::ResultSource::elsewhere(). What it reads is bounded, whatever the database holds.
std::vector<tuner::model::Elsewhere> find_elsewhere(const Connection& db,
                                                    const tuner::model::ElsewhereQuery& query);

/// All results of a kernel in a contest, see tuner::model::ResultSource::tried().
std::vector<tuner::model::TriedConfiguration> find_tried(const Connection& db,
                                                         const tuner::model::Digest& contest,
                                                         const std::string& kernel);

}  // namespace db
