#pragma once
#include <string_view>

namespace tuner::capture {

/// The library that is loaded into programs, as a file has it; empty where it was not built.
std::string_view embedded_library();

}  // namespace tuner::capture
