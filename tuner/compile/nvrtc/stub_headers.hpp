#pragma once
#include <filesystem>
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::compile::nvrtc {

/// NVRTC has no C or C++ standard library, and what most sources include it for (printf, assert, the maths
/// functions, size_t) is built in. These stand-ins answer for the includes of a kernel from a textbook: types
/// of fixed width, limits, std:: names of the maths functions, std::min, max and swap, CUtensorMap of cuda.h,
/// and nothing at all for host-only headers. Where the toolkit has <cuda/std/type_traits> and its like
/// (limits, array, tuple, …), they are found as <type_traits>, in std. Left out are names in `taken` (the
/// job's own headers) and those of CUDA's headers that `toolkit_headers` has. Standard headers are never the
/// host's, even where a distribution keeps them in the same folder as CUDA's: NVRTC cannot read them.
std::vector<model::SourceText> stub_headers(const std::vector<model::SourceText>& taken,
                                            const std::filesystem::path& toolkit_headers);

}  // namespace tuner::compile::nvrtc
