#pragma once
#include <string>
#include <vector>

#include "tuner/cover/rule.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::packing {

/// A configuration of a header.
struct HeaderConfiguration {
  const model::KernelSpec* spec = nullptr;
  model::Configuration values;
  model::Problem problem;            ///< that `options` are of
  std::string options;               ///< of nvcc
  std::vector<std::string> remarks;  ///< what is known of it
};

/// One C++17 header that needs nothing but the standard library: the configurations as structs `A`, `B`, …,
/// `select()` by the rule, and each launch as functions of the sizes and the device.
struct LaunchHeader {
  std::string name_space;               ///< `tuned::matmul`
  std::vector<std::string> dimensions;  ///< of the rule
  std::vector<HeaderConfiguration> configurations;
  cover::Rule rule;                  ///< its configurations are places in that list
  model::DeviceInfo device;          ///< that was measured
  std::vector<std::string> remarks;  ///< at its head

  /// Throws model::UsageError where a spec cannot be said in C++.
  std::string text() const;
};

}  // namespace tuner::packing
