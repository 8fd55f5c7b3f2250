#include "tuner/sweep/trial_job.hpp"

#include "tuner/space/probe_problems.hpp"

namespace tuner::sweep {

Compilable compilable(const Request& request, const Work& work, Trial trial, CandidateQueue::Item item) {
  const model::Problem& problem = trial.record.problem;
  Compilable out{{}, item, {}, {}};
  out.job = work.kernel.compile_job(problem, trial.record.configuration, request.device.architecture,
                                    request.compiler);
  out.reference = work.kernel.reference_job(problem, request.device.architecture, request.compiler);
  trial.record.binary_key = out.job.key();
  out.trial = std::move(trial);
  return out;
}

model::TrialJob job_of(const Request& request, const Compiled& trial) {
  model::TrialJob job;
  job.key = trial.trial.record.key;
  job.plan = trial.trial.plan;
  job.binary = trial.binary->binary;
  job.kernels = trial.binary->kernels;
  if (trial.reference) {
    job.reference_key = trial.reference_key;
    job.reference_binary = trial.reference->binary;
    job.reference_kernels = trial.reference->kernels;
  }
  job.policy = request.policy;
  job.seed = request.seed;
  return job;
}

std::vector<model::Plan> probes_of(const Request& request, const Work& work,
                                   const model::TrialRecord& trial) {
  std::vector<model::Plan> probes;
  for (const model::Problem& problem : space::probe_problems(work.kernel.spec(), trial.problem)) {
    if (!work.kernel.allows(problem, trial.configuration, request.device.limits)) continue;
    const auto job =
        work.kernel.compile_job(problem, trial.configuration, request.device.architecture, request.compiler);
    if (job.key() != trial.binary_key) continue;
    auto plan = work.kernel.make_plan(problem, trial.configuration, request.device.limits);
    if (auto* concrete = std::get_if<model::Plan>(&plan)) probes.push_back(std::move(*concrete));
  }
  return probes;
}

}  // namespace tuner::sweep
