#pragma once
#include <span>
#include <string_view>

#include "tuner/model/embedded_file.hpp"

namespace kernels {

/// Every .toml, .cu and .cuh file below kernels/, and the .cpp and .h of baselines, in the binary; paths
/// relative to kernels/ (`matmul/naive.toml`).
std::span<const tuner::model::EmbeddedFile> shipped();

/// What the `[kernel]` table of a shipped spec says first.
struct ShippedKernel {
  std::string_view name;
  std::string_view family;
  std::string_view description;
  std::string_view file;  ///< one of shipped()
};

/// The kernels of shipped(), in its order. They are found by their lines `KEY = "…"` alone: reading the specs
/// takes a thousand times as long.
std::span<const ShippedKernel> shipped_kernels();

}  // namespace kernels
