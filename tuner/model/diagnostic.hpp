#pragma once
#include <string>
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::model {

/// One mistake in something a user wrote: where, what was found, what was expected.
struct Diagnostic {
  SourceLocation where;
  std::string message;
  std::string hint;  ///< the fix; may be empty
};

}  // namespace tuner::model
