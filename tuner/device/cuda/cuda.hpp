#pragma once
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
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

/// What the management library says of a GPU now; what it will not say is absent.
struct GpuReading {
  std::optional<double> sm_clock_mhz;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
};

/// NVIDIA's management library, loaded at run time. It needs no CUDA context and no CUDA headers. Where it is
/// missing or refuses, everything is absent, without complaint.
class Nvml {
 public:
  Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  bool available() const { return m_library != nullptr; }
  /// `580.159.04`
  std::optional<std::string> driver_version() const;
  /// `uuid` as DeviceInfo has it: `GPU-…` (or `MIG-…`).
  GpuReading read(const std::string& uuid) const;
  std::optional<std::int64_t> free_memory_bytes(const std::string& uuid) const;
  /// What the GPU has taken since its driver was loaded, in J. Slices of a GPU do not tell.
  std::optional<double> energy_j(const std::string& uuid) const;
  /// What the multiprocessors can be locked to, in MHz, rising; empty where that is not known.
  std::vector<int> sm_clocks_mhz(const std::string& uuid) const;
  /// Keeps the multiprocessors at this clock, for every process and beyond our own end, and lets them go
  /// again. Why not, where that failed; empty: done. Both take the right to administrate the machine.
  std::string lock_sm_clock(const std::string& uuid, int mhz) const;
  std::string free_sm_clock(const std::string& uuid) const;
  /// Processes with a compute context on the GPU, ourselves included; empty where that is not known.
  std::vector<std::uint32_t> compute_processes(const std::string& uuid) const;

 private:
  class Library;
  std::unique_ptr<Library> m_library;
};

}  // namespace tuner::device::cuda
