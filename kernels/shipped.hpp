#pragma once
#include <span>

#include "tuner/model/embedded_file.hpp"

namespace kernels {

/// Every .toml, .cu and .cuh file below kernels/, and the .cpp and .h of baselines, in the binary; paths
/// relative to kernels/
/// (`matmul/naive.toml`).
std::span<const tuner::model::EmbeddedFile> shipped();

}  // namespace kernels
