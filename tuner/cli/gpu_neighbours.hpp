#pragma once
#include <memory>
#include <optional>
#include <string>

#include "tuner/model/device_info.hpp"

namespace tuner::device::cuda {
class Nvml;
}

namespace tuner::cli {

/// Other programs that compute on the GPU of a sweep: they spoil its times without any other sign. Asks the
/// management library, so this process stays free of CUDA.
class GpuNeighbours {
 public:
  /// A device that is no GPU has no neighbours.
  explicit GpuNeighbours(const model::DeviceInfo& device);
  GpuNeighbours(const GpuNeighbours&) = delete;
  GpuNeighbours& operator=(const GpuNeighbours&) = delete;
  ~GpuNeighbours();

  /// A sentence that names those there are now; nothing where there are none, or where the library does not
  /// say. To be asked while no worker of ours has a context: their processes are not told apart, since inside
  /// a container the library may know them by other numbers. The first call loads the library.
  std::optional<std::string> sentence();

 private:
  std::string m_uuid;  ///< empty: not a GPU
  std::unique_ptr<const device::cuda::Nvml> m_nvml;
};

}  // namespace tuner::cli
