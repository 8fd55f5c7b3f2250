#pragma once
#include "tuner/compile/compiler.hpp"
#include "tuner/device/device.hpp"
#include "tuner/model/case.hpp"

namespace tuner::test {

/// What the reference of the matmul family says against the definition: for a few rows of C, sums of products
/// made on the CPU in long double from the inputs that every device has. Works through the seams alone, so
/// the same check runs on any device: the CPU's values travel inside the source of a small kernel that counts
/// what differs.
struct ReferenceCheck {
  std::int64_t compared = 0;   ///< elements of the sampled rows, each with value and magnitude
  std::int64_t different = 0;  ///< further from the definition than double arithmetic explains
};

ReferenceCheck check_matmul_reference(compile::Compiler& compiler, device::Device& device, std::int64_t m,
                                      std::int64_t n, std::int64_t k, model::ElementType type,
                                      std::int64_t row_padding);

}  // namespace tuner::test
