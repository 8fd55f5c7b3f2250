#pragma once
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/device.hpp"

/// NVIDIA GPUs through the driver API, loaded at run time; drivers for CUDA 12.4 and later.
/// Everything here throws model::Error with ExitCode::no_device, saying what was looked for and where, when
/// there is no driver, it is too old, or this build had no CUDA headers.
namespace tuner::device::cuda {

/// Every GPU the driver shows, without creating a context on any. The ids are `cuda:0`, `cuda:1`, …
/// (CUDA_VISIBLE_DEVICES applies). free_memory_bytes is known only where NVML is.
std::vector<model::DeviceInfo> devices();

/// The highest SM clock of the GPU with this ordinal in MHz, as the driver says it; 0 where it does not.
double max_sm_clock_mhz(int ordinal);

/// The binary a device of `architecture` needs for its own kernels (filling, comparing, checksums);
/// `compiler` is the name of the Compiler that will make it.
model::CompileJob support_job(const std::string& architecture, const std::string& compiler);

/// The GPU with this ordinal, in the calling process' primary context. `support_binary` is what compiling
/// support_job() gave; it is waited for once there is a context, and what it throws passes through. One
/// Device at a time; call on the thread that uses it.
std::unique_ptr<Device> open(int ordinal, std::future<std::vector<std::byte>> support_binary);

}  // namespace tuner::device::cuda
