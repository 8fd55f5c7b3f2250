#pragma once
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// Notes the candidates of a group that `source` has a result of, unless Request::fresh. What died is to be
/// had again, and so is a baseline whose library was not there; with Request::retry_failed also all that
/// failed when it was run.
void note_known(const Request& request, model::ResultSource& source, Group& group);

/// A trial was dropped for the best of its day, which may have left since: edited, forgotten or found wrong.
/// What would be in a final beside the best of today is to be measured whole. The best counts with the least
/// time that it ever had: it was that much faster when both were measured, whatever a final found later.
void reopen_dropped(const Request& request, model::ResultSource& source, Group& group);

}  // namespace tuner::sweep
