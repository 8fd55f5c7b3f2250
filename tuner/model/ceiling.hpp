#pragma once
#include <string>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"

namespace tuner::model {

/// What a device can do at most, measured once by a kernel that does nothing else.
struct Ceiling {
  std::string device;  ///< model name
  std::string kind;    ///< `arithmetic`, `memory`, `l2`, `shared memory`, `launch`
  ElementType type = ElementType::float32;
  double value = 0;  ///< operations or bytes a second; `launch`: seconds
  std::string unit;  ///< of the metric it came from: `GFLOP/s`
  Digest trial;      ///< that showed it
  std::string measured_at;
};

}  // namespace tuner::model
