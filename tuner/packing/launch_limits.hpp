#pragma once
#include <cstdint>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/use/pack_writer.hpp"

namespace tuner::packing {

/// Adds to what decides whether `configuration` applies all that its launches ask of sizes and device, so
/// that a pick is what can be launched: grids, blocks and clusters, shared memory, numbers within the types
/// of their arguments, strides of tensor maps. `binary`: of its kernels' shared memory.
void require_launchable(use::Configuration& configuration, const model::Compilation& binary);

/// It does not apply at these sizes any more.
void leave_out(use::Configuration& configuration, const std::vector<std::int64_t>& sizes);

}  // namespace tuner::packing
