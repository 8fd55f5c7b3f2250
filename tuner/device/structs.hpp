#pragma once
#include "tuner/device/device.hpp"

namespace tuner::device {

// Structs are made and taken apart on the host, so that devices fill and compare numbers alone. `bindings`
// are those of the plan's buffers. Both throw DeviceFault.

/// Writes the structs of buffer `index`, which has fields, as the buffers of their fields say; what lies
/// between fields is poison.
void assemble_structs(Device& device, const model::Plan& plan, std::size_t index, const Bindings& bindings);

/// Writes the buffers of the fields as the structs of buffer `index` say.
void disassemble_structs(Device& device, const model::Plan& plan, std::size_t index,
                         const Bindings& bindings);

}  // namespace tuner::device
