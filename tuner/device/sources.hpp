#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device {

/// What a file holds for a buffer. Throws DeviceFault where it is not what it was when the spec was read.
std::vector<std::byte> read_contents(const model::FileContents& file);

/// The steps with `seed` for each operand that asks for it, as Device::bind takes them.
std::vector<model::Step> with_seed(std::vector<model::Step> steps, std::uint64_t seed);

}  // namespace tuner::device
