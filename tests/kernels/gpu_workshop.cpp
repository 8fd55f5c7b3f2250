#include <utility>

#include "tests/device/gpu.hpp"
#include "tests/kernels/workshop.hpp"

namespace tuner::test {

Workshop make_workshop() {
  tests::Gpu gpu = tests::Gpu::open();
  return {std::move(gpu.compiler), std::move(gpu.device)};
}

}  // namespace tuner::test
