#pragma once
#include <cstdint>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/use/pack_writer.hpp"

namespace tuner::packing {

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
