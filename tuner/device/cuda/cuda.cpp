#include "tuner/device/cuda/cuda.hpp"

#include <fmt/format.h>

#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/cuda/device_query.hpp"
#include "tuner/model/error.hpp"

namespace tuner::device::cuda {

std::vector<model::DeviceInfo> devices() {
  return query_devices(*load_driver(), Nvml());
}

std::unique_ptr<Device> open(int ordinal, const std::vector<std::byte>& support_binary) {
  const std::shared_ptr<const Driver> driver = load_driver();
  model::DeviceInfo info = query_device(*driver, ordinal, Nvml());
  try {
    return std::make_unique<CudaDevice>(std::make_shared<Session>(driver, ordinal), info, support_binary);
  } catch (const DeviceFault& fault) {
    throw model::Error(fmt::format("cuda:{} cannot be used: {}", ordinal, fault.what()),
                       "`nvidia-smi` shows its state and who else uses it", model::ExitCode::no_device);
  }
}

}  // namespace tuner::device::cuda
