#include "tuner/cli/nvcc_present.hpp"

#include <algorithm>

#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/model/device_kind.hpp"

namespace tuner::cli {

void require_nvcc(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                  const std::string& compiler) {
  if (!model::device_kind(device.kind).has_nvcc) return;
  const bool any = std::any_of(kernels.begin(), kernels.end(),
                               [](const model::KernelSpec& kernel) { return kernel.by_nvcc; });
  if (any) compile::nvcc::NvccCompiler(compile::nvcc::release_of(compiler));
}

}  // namespace tuner::cli
