#pragma once
#include <string>

#include "tuner/cli/command_shape.hpp"

namespace tuner::cli {

/// tuner(1): `program` with all its commands and flags, the environment variables of every setting, and the
/// files, for `man`. `version` stands at its foot.
std::string manual_page(const CommandShape& program, const std::string& version);

}  // namespace tuner::cli
