#include "tuner/capture/launch.hpp"

namespace tuner::capture {

std::vector<void*> argument_places(const Kernel& kernel, const Launch& launch) {
  if (launch.arguments != nullptr)
    return std::vector<void*>(launch.arguments, launch.arguments + kernel.parameters.size());
  // CU_LAUNCH_PARAM_BUFFER_POINTER; the list ends with CU_LAUNCH_PARAM_END.
  constexpr std::uintptr_t buffer_follows = 1;
  for (void** at = launch.extra; at != nullptr && *at != nullptr; at += 2) {
    if (reinterpret_cast<std::uintptr_t>(*at) != buffer_follows) continue;
    std::vector<void*> places;
    for (const KernelParameter& parameter : kernel.parameters)
      places.push_back(static_cast<char*>(at[1]) + parameter.offset);
    return places;
  }
  return {};
}

}  // namespace tuner::capture
