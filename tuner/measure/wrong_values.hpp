#pragma once
#include <cstddef>
#include <string>

#include "tuner/measure/inputs.hpp"

namespace tuner::measure {

/// Reads output `index`, which was found wrong, and what was expected of it, and tells for people the first
/// few wrong numbers, where all of them lie, and what that suggests: `y[0] = 1.93, expected 0.93 ± 2e-07`.
/// Empty where order does not count, since numbers then have no places. Of an output of more than 16 Mi
/// numbers the first so many from `first_wrong` on are read, and nothing is told of where they lie. Throws
/// device::DeviceFault.
std::string wrong_values(device::Device& device, const model::Plan& plan, const Inputs& inputs,
                         std::size_t index, std::int64_t first_wrong);

}  // namespace tuner::measure
