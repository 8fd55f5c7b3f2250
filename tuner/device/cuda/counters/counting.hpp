#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"

namespace tuner::device::cuda::counters {

/// The counters of the GPU with this ordinal, in the context that is current on the calling thread. `places`
/// are where CUPTI may be. Throws model::Error where there is none, or no permission.
std::unique_ptr<Counters> open(int ordinal, const std::vector<std::string>& places);

/// What to do where counters may not be read, on a host and in a container.
extern const char* const how_to_permit;

/// Why this process may not read hardware counters, as far as that can be told before trying; empty: it may,
/// or it is unknown. The driver's parameters come first: where all may count, nothing else matters. `proc` is
/// where the system tells of itself.
std::string why_not_permitted(const std::filesystem::path& proc = "/proc");

}  // namespace tuner::device::cuda::counters
