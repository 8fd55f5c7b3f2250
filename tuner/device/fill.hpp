#pragma once
#include <cstdint>

#include "tuner/device/device.hpp"
#include "tuner/device/fill_function.h"
#include "tuner/model/plan.hpp"

namespace tuner::device {

/// `init` for fill_bits(), which says what each number of the elements is.
FillRequest fill_request(model::ElementType type, const model::Init& init, std::uint64_t seed);

/// Device::fill for memory of this process.
void fill_on_host(void* memory, model::ElementType type, std::int64_t elements, const model::Init& init,
                  std::uint64_t seed);

}  // namespace tuner::device
