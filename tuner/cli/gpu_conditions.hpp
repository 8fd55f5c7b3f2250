#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/device.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cli {

/// Other programs that compute on the GPUs of a sweep: they spoil its times without any other sign. Asks the
/// management library, so this process stays free of CUDA.
class GpuNeighbours {
 public:
  /// Devices that are no GPUs have no neighbours.
  explicit GpuNeighbours(const std::vector<model::DeviceInfo>& devices);

  /// A sentence for each GPU that names those there are now; nothing where there are none, or where the
  /// library does not say. To be asked while no worker of ours has a context: their processes are not told
  /// apart, since inside a container the library may know them by other numbers. The first call loads the
  /// library.
  std::vector<std::string> sentences();

 private:
  std::vector<model::DeviceInfo> m_gpus;
  std::optional<device::cuda::Nvml> m_nvml;
};

/// Keeps GPUs at one clock as long as it lives. Another process does it, and lets the clocks go when this one
/// ends, however it ends; should that process be killed, this one lets them go.
class ClockGuard {
 public:
  /// Throws model::Error where a clock cannot be locked; then all are free. `program` is this one.
  ClockGuard(std::vector<std::string> uuids, int mhz, const std::string& program = "/proc/self/exe");
  ClockGuard(const ClockGuard&) = delete;
  ClockGuard& operator=(const ClockGuard&) = delete;
  ~ClockGuard();

 private:
  std::vector<std::string> m_uuids;
  util::FileDescriptor m_life;  ///< closed when this process ends
  pid_t m_guard = -1;
};

/// What `--clock` lists: `1200,1500`. Throws model::UsageError.
std::vector<int> parse_clocks(const std::string& text);

/// Throws model::UsageError where the clock of one of `devices` cannot be locked at all, or not to this.
void require_clock(const std::vector<model::DeviceInfo>& devices, int mhz);

/// The clocks that each device can be locked to, a line each.
std::string clocks_text(const std::vector<model::DeviceInfo>& devices);

/// What the process of a ClockGuard does, `tuner worker clocks`: locks, says so, waits for its parent to end,
/// and lets go. Returns its exit code.
int guard_clocks(const std::vector<std::string>& uuids, int mhz);

}  // namespace tuner::cli
