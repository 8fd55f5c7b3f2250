#pragma once
#include <string>

#include "config/draft_arguments.hpp"

namespace config {

/// What a draft says of what is right.
struct DraftVerification {
  std::string table;      ///< TOML; empty: the spec verifies nothing
  std::string reference;  ///< CUDA C++
};

/// Of a kernel that the source launches, the function that computes the same on the CPU, where there is one.
/// Of another, the place of a reference that is still to be written.
DraftVerification draft_verification(DraftSource& source, const DraftPlan& plan,
                                     const DraftArguments& arguments);

}  // namespace config
