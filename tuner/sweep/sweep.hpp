#pragma once
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// Does the trials of `list`: compiles ahead, judges, measures one at a time, records each before the next.
/// Ends when nothing is left, the budget is spent or `services.stop` is set; a result that was recorded is
/// never lost. The run itself (begin_run, end_run) is recorded here too. Throws model::Error where the
/// compiler is missing or a result cannot be kept; the run is then recorded as failed where that is still
/// possible.
Summary sweep(const Request& request, const TrialList& list, Services& services);

}  // namespace tuner::sweep
