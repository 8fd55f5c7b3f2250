#pragma once
#include <string>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::device::cpu {

/// Two threads of a block touched the same byte with nothing to order them, at least one of them writing.
struct Race {
  model::SourceLocation first;  ///< of the access that happened to run first; no file where that is unknown
  model::SourceLocation second;
  std::string text;  ///< `write by thread 0 at k.cu:12 and read by thread 1 at k.cu:14, in block (0, 0, 0)`
};

}  // namespace tuner::device::cpu
