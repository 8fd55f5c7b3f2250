#pragma once
#include <cstdint>
#include <memory>

#include "tuner/measure/inputs.hpp"

namespace tuner::measure {

/// Runs of a plan of which some buffers must be as they were at first: these are filled again before each
/// repetition, outside of the time. Repetitions are therefore run and timed one by one, so that short ones
/// are better sampled singly (see sampling_policy()).
class RestoringSequence final : public device::Sequence {
 public:
  /// The references, and the buffers behind `bindings`, must outlive the object.
  RestoringSequence(device::Device& device, const model::TrialJob& job, const Inputs& inputs,
                    device::Bindings bindings, std::unique_ptr<device::Sequence> inner);

  device::Timing run(int repetitions) override;
  void fill_arrays() override { m_inner->fill_arrays(); }
  void collect_arrays() override { m_inner->collect_arrays(); }
  int blocks_per_multiprocessor() const override { return m_inner->blocks_per_multiprocessor(); }

 private:
  void restore();

  device::Device& m_device;
  const model::TrialJob& m_job;
  const Inputs& m_inputs;
  device::Bindings m_bindings;
  std::unique_ptr<device::Sequence> m_inner;
};

/// The policy to sample `plan` by: without batches where it restores.
model::MeasurePolicy sampling_policy(model::MeasurePolicy policy, const model::Plan& plan);

}  // namespace tuner::measure
