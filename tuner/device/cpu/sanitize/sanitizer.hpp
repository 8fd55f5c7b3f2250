#pragma once
#include <chrono>
#include <vector>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/sanitize/finding.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::device::cpu::sanitize {

/// Problems on which edges are wrong if they ever are: every extent 1, a prime, one below and one above the
/// tile; long and flat rectangles where there are several extents; padded rows where the kernel offers
/// padding. The tile of an extent is found by asking the spec at which size the number of blocks grows.
/// Problems for which the spec does not allow the configuration, or has no plan, are left out.
std::vector<model::Problem> awkward_problems(const space::KernelSpace& kernel,
                                             const model::Configuration& configuration,
                                             model::ElementType type, const model::DeviceLimits& limits);

struct SanitizerOptions {
  bool memory = true;  ///< AddressSanitizer and UndefinedBehaviorSanitizer
  bool races = true;
  std::chrono::milliseconds run_limit =
      std::chrono::seconds(60);  ///< for the problems of one configuration together
  std::chrono::milliseconds compile_limit = std::chrono::minutes(2);
};

/// Runs kernels on the CPU with everything watched: once under AddressSanitizer and
/// UndefinedBehaviorSanitizer, once with every access reported to the race detector. Runs happen in forked
/// children on exactly sized buffers; one child runs the problems of a configuration one after another, and
/// where it dies the next one goes on with the rest.
class Sanitizer {
 public:
  /// Throws model::Error where there is no host compiler, or where `memory` is asked for and
  /// AddressSanitizer's library is not loaded in this process (restart_with_address_sanitizer).
  explicit Sanitizer(SanitizerOptions options = {});

  /// What a plan must fit into for check() to run it.
  const model::DeviceLimits& limits() const { return m_limits; }
  /// Everything wrong with one configuration, each kind and place once. The process must have no other
  /// threads. All problems must be of one element type.
  std::vector<Finding> check(const space::KernelSpace& kernel, const model::Configuration& configuration,
                             const std::vector<model::Problem>& problems);

 private:
  using Found = std::vector<Finding>;

  void watch(compile::host::HostCompiler& compiler, const space::KernelSpace& kernel,
             const model::Configuration& configuration, const std::vector<model::Problem>& problems,
             Found& findings);

  SanitizerOptions m_options;
  model::DeviceLimits m_limits;
  compile::host::HostCompiler m_memory;
  compile::host::HostCompiler m_accesses;
};

}  // namespace tuner::device::cpu::sanitize
