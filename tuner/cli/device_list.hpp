#pragma once
#include <string>

namespace tuner::cli {

/// Prints every device that can run kernels here on stdout, and on stderr why there is no GPU where there is
/// none.
int list_devices(const std::string& format);

}  // namespace tuner::cli
