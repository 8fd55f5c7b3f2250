#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "tuner/worker/frame.hpp"

namespace tuner::worker {

/// Why `payload` may not be given to a CBOR library; empty when it may. Accepts exactly one well-formed value
/// of the kinds our own encoder writes: integers, byte and text strings, arrays and maps of known length,
/// booleans, null and floating-point numbers. Tags and strings or containers of unknown length are refused:
/// nlohmann-json reads nested ones by recursion of its own, which no depth limit in a SAX handler sees. Does
/// not recurse and allocates nothing but one counter a level.
std::string cbor_objection(std::span<const std::uint8_t> payload, const FrameLimits& limits);

}  // namespace tuner::worker
