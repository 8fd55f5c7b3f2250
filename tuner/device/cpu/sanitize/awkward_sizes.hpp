#pragma once
#include <vector>

#include "tuner/model/device_info.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::device::cpu::sanitize {

/// Problems on which edges are wrong if they ever are: every extent 1, a prime, one below and one above the
/// tile; long and flat rectangles where there are several extents; padded rows where the kernel offers
/// padding. The tile of an extent is found by asking the spec at which size the number of blocks grows.
/// Problems for which the spec does not allow the configuration, or has no plan, are left out.
std::vector<model::Problem> awkward_problems(const space::KernelSpace& kernel,
                                             const model::Configuration& configuration,
                                             model::ElementType type, const model::DeviceLimits& limits);

}  // namespace tuner::device::cpu::sanitize
