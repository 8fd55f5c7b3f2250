#pragma once
#include <cstdint>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/use/pack_writer.hpp"

namespace tuner::packing {

/// What a value must be where its step is not left out.
struct Bounds {
  use::Expression when;  ///< of the step; empty: it never is
  use::Expression value;
  use::Expression least;
  use::Expression most;  ///< empty: anything
};

/// Adds to what decides whether `configuration` applies all that its launches ask of sizes and device, so
/// that a pick is what can be launched, as space::Planner has it: some step, grids, blocks and clusters,
/// rounds of loops, shared memory, numbers that have a value and fit the types of their arguments (but for
/// real ones), strides of tensor maps; and `bounds`. `binary`: of its kernels' shared memory.
void require_launchable(use::Configuration& configuration, const model::Compilation& binary,
                        const std::vector<Bounds>& bounds);

/// It does not apply at these sizes any more.
void leave_out(use::Configuration& configuration, const std::vector<std::int64_t>& sizes);

}  // namespace tuner::packing
