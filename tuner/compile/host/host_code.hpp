#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::compile::host {

/// Macros whose text has `__device__` or `__global__` in it, as `#define DEVICE __device__ inline`.
std::vector<std::string> device_macros(const std::vector<model::SourceText>& sources);

/// The source without the functions that are the host's alone: those of namespaces that say neither
/// `__device__`, `__global__` nor `constexpr`, nor one of `device_macros`. As many lines as before. Classes
/// stay as they are.
std::string without_host_code(std::string_view source, const std::vector<std::string>& device_macros);

}  // namespace tuner::compile::host
