#pragma once
#include <optional>

#include "tuner/search/learn/model.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {

/// How much faster than `best_log_time` the best of the open candidates is, by draws from what the model
/// believes of the most promising ones together: their times hang together, and taken one by one each would
/// be another chance. Repeatable for a model.
Outlook outlook(const Model& model, const OpenCandidates& open, double best_log_time);

}  // namespace tuner::search::learn
