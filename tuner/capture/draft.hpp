#pragma once
#include <string>
#include <vector>

#include "tuner/capture/images.hpp"
#include "tuner/capture/saver.hpp"

namespace tuner::capture {

/// Whether the bytes of an argument may be an address: the kernel's name says so, or nothing.
bool may_be_pointer(const KernelParameter& parameter);

/// What is known of a launch, as JSON, but for what its memory held.
std::string draft_of(const WantedLaunch& wanted, const std::vector<Region>& regions);

}  // namespace tuner::capture
