#include "tests/kernels/cpu_machine.hpp"
#include "tests/kernels/workshop.hpp"
#include "tuner/device/cpu/cpu_device.hpp"

namespace tuner::test {

Workshop make_workshop() {
  return {caching_compiler(),
          std::make_unique<device::cpu::CpuDevice>(device::cpu::CpuOptions{.workers = 2})};
}

}  // namespace tuner::test
