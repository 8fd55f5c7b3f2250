#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/device.hpp"

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

}  // namespace tuner::cli
