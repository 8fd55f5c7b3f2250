#pragma once
#include "tuner/model/search_record.hpp"
#include "tuner/sweep/candidate_queue.hpp"

namespace tuner::sweep {

/// What is to be remembered of a search that has ended.
model::SearchRecord search_record(const Request& request, const TrialList& list, const EndedSearch& ended);

}  // namespace tuner::sweep
