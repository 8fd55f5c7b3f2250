#pragma once
#include <cstdint>

#include "tuner/device/checksum_function.h"

namespace tuner::device {

/// Device::checksum for memory of this process.
std::uint64_t checksum_on_host(const void* memory, std::int64_t bytes);

}  // namespace tuner::device
