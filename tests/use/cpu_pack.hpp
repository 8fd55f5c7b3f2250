#pragma once
#include "tuner/use/pack_writer.hpp"

namespace tests {

/// Kernels for the CPU device, made by the host's compiler: `matmul` of float, tiles in shared memory between
/// barriers, measured at 64x64x64; `row_sums` of float, by shuffles of a warp; `weighted` with variables.
tuner::use::Pack cpu_pack();

}  // namespace tests
