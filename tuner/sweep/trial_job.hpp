#pragma once
#include "tuner/sweep/compile_ahead.hpp"

namespace tuner::sweep {

/// What has to be compiled for a trial of `work`.
Compilable compilable(const Request& request, const Work& work, Trial trial, CandidateQueue::Item item);

/// The job of a trial whose binaries are ok; its probes and the best time so far are left to the caller.
model::TrialJob job_of(const Request& request, const Compiled& trial);

/// The same binary on small awkward problems; see model::TrialJob::probes. Those on which the configuration
/// is not valid, or which need another binary, are left out.
std::vector<model::Plan> probes_of(const Request& request, const Work& work, const model::TrialRecord& trial);

}  // namespace tuner::sweep
