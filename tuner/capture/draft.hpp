#pragma once
#include <string>
#include <vector>

#include "tuner/capture/images.hpp"
#include "tuner/capture/saver.hpp"

namespace tuner::capture {

/// Whether the bytes of an argument may be an address: the kernel's name says so, or nothing.
bool may_be_pointer(const KernelParameter& parameter);

/// Whether addresses may stand among the bytes of an argument: a struct, or what is larger than an address
/// where the kernel's name says nothing.
bool may_hold_pointers(const KernelParameter& parameter);

/// Places in a struct that hold addresses of device memory.
std::vector<std::size_t> pointers_inside(const char* bytes, std::size_t count);

/// What is known of a launch, as JSON, but for what its memory held. `is_twice`: it is run twice.
std::string draft_of(const WantedLaunch& wanted, const std::vector<Region>& regions, bool is_twice);

}  // namespace tuner::capture
