#include "tuner/measure/restoring_sequence.hpp"

#include <utility>

namespace tuner::measure {

RestoringSequence::RestoringSequence(device::Device& device, const model::TrialJob& job, const Inputs& inputs,
                                     device::Bindings bindings, std::unique_ptr<device::Sequence> inner)
    : m_device(device),
      m_job(job),
      m_inputs(inputs),
      m_bindings(std::move(bindings)),
      m_inner(std::move(inner)) {}

void RestoringSequence::restore() {
  const model::Plan& plan = m_job.plan;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].restored) m_inputs.fill_again(m_device, m_job, i, m_bindings.buffers.at(i));
  }
}

device::Timing RestoringSequence::run(int repetitions) {
  device::Timing total;
  for (int i = 0; i < repetitions; ++i) {
    restore();
    m_inner->fill_arrays();
    const device::Timing one = m_inner->run(1);
    total.ns += one.ns;
    total.sm_clock_mhz += one.sm_clock_mhz / repetitions;
  }
  return total;
}

model::MeasurePolicy sampling_policy(model::MeasurePolicy policy, const model::Plan& plan) {
  if (plan.restores()) policy.batch_below_ns = 0;
  return policy;
}

}  // namespace tuner::measure
