#include "tuner/device/cuda/cuda.hpp"

#include <fmt/format.h>

#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/cuda/device_query.hpp"
#include "tuner/device/cuda/session.hpp"
#include "tuner/model/error.hpp"

namespace tuner::device::cuda {

std::vector<model::DeviceInfo> devices() {
  // While the driver starts, which takes longer.
  auto nvml = std::async(std::launch::async, [] { return std::make_unique<Nvml>(); });
  const std::shared_ptr<const Driver> driver = load_driver();
  return query_devices(*driver, *nvml.get());
}

double max_sm_clock_mhz(int ordinal) {
  const std::shared_ptr<const Driver> driver = load_driver();
  int kilohertz = 0;
  const CUresult result =
      driver->device_get_attribute(&kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device_at(*driver, ordinal));
  return result == CUDA_SUCCESS ? kilohertz / 1000.0 : 0;
}

std::unique_ptr<Device> open(int ordinal, std::future<std::vector<std::byte>> support_binary) {
  const std::shared_ptr<const Driver> driver = load_driver();
  model::DeviceInfo info = query_device(*driver, ordinal, Nvml());
  try {
    auto session = std::make_shared<Session>(driver, ordinal);
    return std::make_unique<CudaDevice>(std::move(session), info, support_binary.get());
  } catch (const DeviceFault& fault) {
    throw model::Error(fmt::format("cuda:{} cannot be used: {}", ordinal, fault.what()),
                       "`nvidia-smi` shows its state and who else uses it", model::ExitCode::no_device);
  }
}

}  // namespace tuner::device::cuda
