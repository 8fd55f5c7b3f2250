#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tuner/cover/rule.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/use/pack_writer.hpp"

/// From a spec and its configurations to what a pack says of them. What no size and no device changes is
/// folded; the rest stays an expression.
namespace tuner::packing {

/// Sizes and parameters of the kernel's family at the type and padding of `like`; no targets. Callers pass
/// pointers; numbers are worked out from the sizes. Throws model::UsageError where the kernel needs what
/// packs lack, or an extent depends on a parameter of the search.
use::Kernel packed_kernel(const space::CompiledSpec& compiled, const model::Problem& like);

/// The launch of `configuration` at all sizes. `binary` was compiled for it at `like` on a device of these
/// `limits`, and gives the names of functions; `image` is its place in the pack. It applies where the spec's
/// constraints hold and the same binary would be made. Throws model::UsageError as packed_kernel() does.
use::Configuration packed_configuration(const space::CompiledSpec& compiled, const model::Problem& like,
                                        const model::DeviceLimits& limits,
                                        const model::Configuration& configuration,
                                        const model::Compilation& binary, std::uint32_t image);

/// What is said of sizes that were not measured; see use::RuleNode.
struct Promise {
  double loss_bound = -1;
  double confidence = 0;
};

/// The nodes of a cover's rule. `places`: of each configuration that the rule names, its launches in the
/// pack; several where it is compiled to several binaries. `dimensions`: how many sizes a problem has.
std::vector<use::RuleNode> rule_code(const cover::Rule& rule, std::size_t dimensions,
                                     const std::map<std::size_t, std::vector<std::uint32_t>>& places,
                                     const Promise& promise);

}  // namespace tuner::packing
