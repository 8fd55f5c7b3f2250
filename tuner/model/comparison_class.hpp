#pragma once
#include <string>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"

namespace tuner::model {

/// What may be compared with what. Times from different classes never compete for `best`.
struct ComparisonClass {
  std::string device;  ///< model name: `NVIDIA H200`
  std::string driver;
  std::string toolkit;  ///< compiler and version: `nvrtc 13.0`
  ElementType type = ElementType::float32;
  std::string l2;      ///< `warm` or `cold`
  std::string method;  ///< name and version of the measuring policy: `standard-1`
  std::string inputs;  ///< input distribution: `spec` or a named one

  Digest key() const;
  /// `NVIDIA H200, driver 580.159.04, nvrtc 13.0, float, L2 warm, standard-1`
  std::string text() const;
  bool operator==(const ComparisonClass&) const = default;
};

}  // namespace tuner::model
