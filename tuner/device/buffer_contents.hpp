#pragma once
#include <cstdint>

#include "tuner/device/compare_function.h"
#include "tuner/device/device.hpp"
#include "tuner/device/fill_function.h"
#include "tuner/device/words.h"
#include "tuner/model/plan.hpp"

namespace tuner::device {

/// `init` for fill_bits(), which says what each number of the elements is.
FillRequest fill_request(model::ElementType type, const model::Init& init, std::uint64_t seed);

/// Device::fill for memory of this process.
void fill_on_host(void* memory, model::ElementType type, std::int64_t elements, const model::Init& init,
                  std::uint64_t seed);

/// What a device found out about one output.
struct Comparison {
  double largest_error = 0;         ///< largest relative_error()
  std::int64_t wrong_elements = 0;  ///< relative_error() above the bound factor
  std::int64_t first_wrong = -1;    ///< lowest index of one
};

/// The same in the words of the model; the caller knows the buffer's name.
model::Verification to_verification(const Comparison& comparison, const CompareRequest& request);

/// What compare_function.h makes of a request.
CompareRule rule_of(const CompareRequest& request);

/// Device::compare for memory of this process: the addresses are pointers. Integers are compared as doubles,
/// which is exact below 2^53. Without order, what the reference wrote of a group and what the kernel has in
/// these places are both sorted first.
model::Verification compare_on_host(const CompareRequest& request);

/// Whether the output of a request with this outcome is right: no number is wrong, or as few as the tolerance
/// excuses.
bool accepts(const CompareRequest& request, const model::Verification& verification);

/// Device::checksum for memory of this process.
std::uint64_t checksum_on_host(const void* memory, std::int64_t bytes);

// Structs are made and taken apart on the host, so that devices fill and compare numbers alone. `bindings`
// are those of the plan's buffers. Both throw DeviceFault.

/// Writes the structs of buffer `index`, which has fields, as the buffers of their fields say; what lies
/// between fields is poison.
void assemble_structs(Device& device, const model::Plan& plan, std::size_t index, const Bindings& bindings);

/// Writes the buffers of the fields as the structs of buffer `index` say.
void disassemble_structs(Device& device, const model::Plan& plan, std::size_t index,
                         const Bindings& bindings);

/// What a file holds for a buffer. Throws DeviceFault where it has changed since the spec was read.
std::vector<std::byte> read_contents(const model::FileContents& file);

}  // namespace tuner::device
