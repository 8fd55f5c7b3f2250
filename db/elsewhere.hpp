#pragma once
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/elsewhere.hpp"

namespace db {

/// See model::ResultSource::elsewhere(). What it reads is bounded, whatever the database holds.
std::vector<tuner::model::Elsewhere> find_elsewhere(const Connection& db,
                                                    const tuner::model::ElsewhereQuery& query);

}  // namespace db
