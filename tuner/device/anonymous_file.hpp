#pragma once
#include <cstddef>
#include <span>

namespace tuner::device {

/// A descriptor of a file that has no name and holds `bytes`, for the dynamic linker (`/proc/self/fd/N`).
/// Whoever loads it keeps it open as long as it is loaded: the linker takes equal names for equal libraries,
/// and the number of a closed descriptor would be given out again. Throws DeviceFault (launch_error).
int anonymous_file(std::span<const std::byte> bytes);

}  // namespace tuner::device
