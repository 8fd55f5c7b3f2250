#pragma once
#include <string>

namespace tuner::cli {

/// For `--version`: the version, the commit it was built from, the release of NVRTC that would compile
/// kernels here, or why there is none, and the compiler that built it. A line each. Loads NVRTC.
std::string version_text();

}  // namespace tuner::cli
