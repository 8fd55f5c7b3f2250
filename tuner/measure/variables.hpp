#pragma once
#include <cstddef>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/measure/verify.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// The variables of a loaded binary that buffers of its plan stand for (BufferPlan::symbol). What they hold
/// lives in buffers like any other, where the reference finds it and all comparing looks; it is copied into
/// the variables before a run and out of them behind it. What a variable has behind its buffer's elements is
/// poison for that time, and its fence. All functions throw device::DeviceFault.
class Variables {
 public:
  /// Finds them; one that is smaller than its buffer is a launch_error. The references must outlive the
  /// object.
  Variables(device::Device& device, const model::TrialJob& job, const device::Module& module);

  /// What a run is given: the variables in place of their buffers.
  device::Bindings placed(device::Bindings bindings) const;
  /// Copies the buffers of `bindings` into the variables.
  void fill(const device::Bindings& bindings) const;
  /// Copies the variables into the buffers of `bindings`; out_of_bounds where something was written behind.
  Finding collect(const device::Bindings& bindings) const;

 private:
  struct Entry {
    std::size_t buffer = 0;
    device::Variable variable;
  };

  device::Device& m_device;
  const model::TrialJob& m_job;
  std::vector<Entry> m_entries;
};

}  // namespace tuner::measure
