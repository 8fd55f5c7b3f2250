#pragma once
#include <cuda.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tuner/device/cuda/session.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// What a device says of itself; 0: it does not.
using AttributeQuery = std::function<std::int64_t(CUdevice_attribute)>;

/// What of `operand`, a texture or a surface, is more than the device takes, with both numbers: `a texture of
/// 140000 columns; this device takes 131072`. Empty: nothing.
std::string beyond_limits(const model::Operand& operand, const AttributeQuery& attribute);

/// Why the driver, which said `result`, has no `what` (`a texture`) for `operand`: the limit that it is
/// beyond, or else the driver's own word.
std::string refusal_of(const Session& session, const model::Operand& operand, const char* what,
                       CUresult result);

}  // namespace tuner::device::cuda
