#include "tuner/device/cuda/occupancy/occupancy.hpp"

namespace tuner::device::cuda {

std::optional<model::Occupancy> occupancy(const model::DeviceLimits&, int, int, const model::KernelResources&,
                                          const model::Dim3&, std::int64_t) {
  return std::nullopt;  // this build had no cuda_occupancy.h
}

std::vector<ResourceShare> resource_shares(const model::DeviceLimits&, int, int,
                                           const model::KernelResources&, const model::Dim3&, std::int64_t) {
  return {};
}

}  // namespace tuner::device::cuda
