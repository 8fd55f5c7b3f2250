#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/kernels.hpp"

namespace tuner::capture {

/// A launch as the program asked for it.
struct Launch {
  CuFunction handle = nullptr;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;
  CuStream stream = nullptr;
  bool per_thread = false;  ///< the null stream is the thread's own
  void** arguments = nullptr;
  void** extra = nullptr;
  bool cooperative = false;
  const CuLaunchConfig* config = nullptr;  ///< with its attributes; null where the launch has none
};

/// What the driver is told to launch with.
class LaunchQueue {
 public:
  LaunchQueue() = default;
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;
  virtual CuResult queue() const = 0;

 protected:
  ~LaunchQueue() = default;
};

/// Where each argument is. A program may pass them as one piece of memory.
std::vector<void*> argument_places(const Kernel& kernel, const Launch& launch);

}  // namespace tuner::capture
