#pragma once
#include <vector>

#include "config/settings.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::cli {

/// Runs configurations of each kernel on the CPU at awkward sizes, under AddressSanitizer,
/// UndefinedBehaviorSanitizer and the race detector, and prints every finding with its line. `all`: the whole
/// space, not a covering sample. Returns the exit code. Call it first thing: it may restart the process to
/// have AddressSanitizer's library loaded.
int check_sanitized(const Context& context, const std::vector<model::KernelSpec>& kernels,
                    const config::Settings& settings, bool all);

}  // namespace tuner::cli
