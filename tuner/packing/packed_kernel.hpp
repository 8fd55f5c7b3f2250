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

/// Without what is known before: operators on constants, sides of branches that are never taken, additions of
/// 0. Code on doubles is left as it is.
use::Expression simplified(use::Expression expression);

/// The expressions of a spec as a pack has them, with the parameters of one configuration as constants.
class Folding {
 public:
  /// `like` and `limits`: what the configuration's binary was compiled for. Null: no configuration, so that
  /// an expression which reads a parameter is refused.
  Folding(const space::CompiledSpec& compiled, const model::Problem& like, const model::DeviceLimits& limits,
          const model::Configuration* configuration);

  /// Throws model::UsageError where it has no value whatever the sizes, or reads what a pack lacks.
  use::Expression folded(const space::Compiled& expression, bool is_real = false) const;
  /// Whether its value depends on sizes or the device.
  bool varies(const space::Compiled& expression) const;
  /// Of an expression that does not vary.
  std::int64_t value(const space::Compiled& expression) const;

  /// Derived values that vary, which folded() refers to: each after those it reads, and those that `applies`
  /// reads before the others.
  std::vector<use::Expression> derived() const;
  /// Where the configuration is valid and would be compiled to the same binary.
  use::Expression applies() const;

 private:
  struct Condition {
    const space::Compiled* expression;
    bool must_hold;
  };
  std::vector<Condition> conditions() const;
  void order_derived();
  bool reads_parameter(const space::Compiled& expression) const;
  bool slot_varies(int slot) const { return m_varies[static_cast<std::size_t>(slot)]; }
  use::Instruction loaded(int slot) const;

  const space::CompiledSpec& m_compiled;
  bool m_has_configuration;
  space::Slots m_slots;
  std::vector<bool> m_varies;  ///< of each slot
  std::vector<int> m_order;    ///< of derived values: their places in the spec
  std::vector<int> m_place;    ///< of each slot of a derived value: its place among derived()
};

}  // namespace tuner::packing
