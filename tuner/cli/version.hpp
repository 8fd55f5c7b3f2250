#pragma once

namespace tuner::cli {

/// The project's version, as CMake has it.
const char* version();

}  // namespace tuner::cli
