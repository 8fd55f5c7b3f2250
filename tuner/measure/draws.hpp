#pragma once
#include "tuner/measure/inputs.hpp"

namespace tuner::measure {

/// The inputs of a problem, drawn twice, each with what the reference says of them. Kernels are timed on the
/// first draw; the second keeps what was right by chance, by rounding to few bits, or in an earlier run from
/// passing.
struct Draws {
  Draws(device::Device& device, const model::TrialJob& job)
      : first(device, job, Draw::first), second(device, job, Draw::second) {}

  bool intact(device::Device& device, const model::Plan& plan) const {
    return first.intact(device, plan) && second.intact(device, plan);
  }
  std::int64_t bytes() const { return first.bytes() + second.bytes(); }

  Inputs first;
  Inputs second;
};

}  // namespace tuner::measure
