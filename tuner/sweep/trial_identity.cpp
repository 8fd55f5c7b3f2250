#include "tuner/sweep/trial_identity.hpp"

namespace tuner::sweep {

IdentityMaker::IdentityMaker(const Request& request, const Work& work, const model::Problem& problem,
                             const model::ComparisonClass& comparison)
    : m_request(request), m_work(work), m_problem(problem), m_comparison(comparison) {
  const auto reference = work.kernel.reference_job(problem, request.device.architecture, request.compiler);
  if (reference) m_reference_key = reference->key();
}

model::Digest IdentityMaker::trial(const model::Configuration& configuration) const {
  const auto job =
      m_work.kernel.compile_job(m_problem, configuration, m_request.device.architecture, m_request.compiler);
  // A configuration without a plan is identified by what would have been compiled: its rejection follows from
  // that and from the problem.
  const auto plan = m_work.kernel.make_plan(m_problem, configuration, m_request.device.limits);
  const auto* concrete = std::get_if<model::Plan>(&plan);
  return model::trial_key(m_work.kernel.spec().name, configuration, job.key(),
                          concrete ? *concrete : model::Plan{}, m_reference_key, m_problem, m_comparison);
}

}  // namespace tuner::sweep
