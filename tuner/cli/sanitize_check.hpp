#pragma once
#include <vector>

#include "config/settings.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/device/cpu/sanitize/sanitizer.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::cli {

/// Has AddressSanitizer's library loaded: restarts the process, with the same arguments, where it is not. To
/// be called first thing.
void load_address_sanitizer(const Context& context);

/// Runs configurations of each kernel on the CPU at awkward sizes, under AddressSanitizer,
/// UndefinedBehaviorSanitizer and the race detector, and prints every finding with its line. `all`: the whole
/// space, not a covering sample. Returns the exit code. Calls load_address_sanitizer().
int check_sanitized(const Context& context, const std::vector<model::KernelSpec>& kernels,
                    const config::Settings& settings, bool all);

/// What is found so of a kernel with one configuration, in a process that has the library: at the sizes of
/// --sizes where it is valid at no awkward one. Throws model::Error where it cannot be run at any.
std::vector<device::cpu::sanitize::Finding> sanitizer_findings(const space::KernelSpace& kernel,
                                                               model::ElementType type,
                                                               const config::Settings& settings);

}  // namespace tuner::cli
