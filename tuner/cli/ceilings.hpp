#pragma once
#include <atomic>
#include <functional>
#include <vector>

#include "tuner/cli/backend.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/results.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// What measuring a device's ceilings works with.
struct CeilingTask {
  std::vector<model::KernelSpec> kernels;  ///< those without KernelSpec::ceiling are passed over
  const sweep::Request& run;               ///< the sweep before: its device, compiler and element types count
  Backend& backend;
  model::ResultSink& sink;
  model::ResultSource& source;
  sweep::Observer& observer;
  const std::atomic<bool>& stop;
  std::vector<model::Ceiling> known;  ///< of any devices
  std::function<void(const model::Ceiling&)> record;
};

/// Measures what the device of a run that has ended can do at most, as far as that is not known yet: sweeps
/// each ceiling's kernel over its own problem by the `quick` policy, and records its best first metric. The
/// trials are kept like any others, so that an interrupted measuring goes on where it stopped. A ceiling of
/// which a trial is missing, or none is ok, is not recorded. Nothing is begun after a run that was
/// interrupted, or that has no trial, neither of today nor of before. An interruption of the measuring
/// becomes the run's ending. Throws model::Error where a result cannot be kept.
void measure_ceilings(const CeilingTask& task, sweep::Summary& run);

}  // namespace tuner::cli
