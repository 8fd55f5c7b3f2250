#pragma once
#include <functional>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// What Sampler needs to know of a trial besides how to run it.
struct SamplingTask {
  model::MeasurePolicy policy;
  double best_ns = 0;             ///< of the same problem and class; 0: none, nothing is dropped
  int kernels = 1;                ///< kernel launches of one sequence
  std::vector<double> warm_runs;  ///< times of single runs already made with warm clocks, at least one
};

struct Samples {
  model::Measurement measurement;
  bool dropped = false;
};

/// Times a verified sequence.
///
/// A sequence shorter than policy.batch_below_ns is timed in batches that last policy.batch_ns, after one
/// batch that does not count; a longer one singly, as its warm runs have been, so these count towards
/// policy.least_samples and are kept when the trial is dropped. With policy.flush_l2 each sample is a single
/// run behind a flush. Sampling ends after policy.samples, or when policy.time_limit_ns of timed work are
/// spent.
class Sampler {
 public:
  /// The references must outlive the object.
  Sampler(device::Device& device, device::Sequence& sequence, SamplingTask task);

  /// Throws device::DeviceFault.
  Samples run();

 private:
  int choose_batch();
  double sample(int batch);
  bool clearly_slower(const std::vector<double>& times) const;

  device::Device& m_device;
  device::Sequence& m_sequence;
  SamplingTask m_task;
};

/// Whether a time is too short to mean the kernels alone. Between kernels that follow each other the GPU
/// idles for about a microsecond, and around a single run, which has two events beside it, for several: a
/// time is taken as the kernels' own from where such a gap is less than about a fifth of it, 5 µs a kernel in
/// a batch and 20 µs else.
bool includes_launch_latency(double time_ns, int kernels, int launches_per_sample);

/// Median, its interval and the rest, from samples in the order taken.
model::Measurement summarise(std::vector<double> samples_ns, int launches_per_sample, int kernels);

}  // namespace tuner::measure
