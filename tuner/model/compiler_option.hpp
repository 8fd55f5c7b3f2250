#pragma once
#include <string>

namespace tuner::model {

/// `-DNAME=VALUE` for `--define-macro=NAME=VALUE` and `-D NAME=VALUE`, and so for `-U`; any other option as
/// it is.
std::string with_short_name(const std::string& option);

}  // namespace tuner::model
