#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tuner::device::cuda {

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
  /// Processes with a compute context on the GPU, ourselves included; empty where that is not known.
  std::vector<std::uint32_t> compute_processes(const std::string& uuid) const;

 private:
  class Library;
  std::unique_ptr<Library> m_library;
};

}  // namespace tuner::device::cuda
