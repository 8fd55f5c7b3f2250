#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/configuration_list.hpp"

namespace tuner::space {

/// Walks a kernel's space for one problem and device, setting one parameter a level in written order and
/// turning back as soon as something that is fully known excludes what was set.
class Descent {
 public:
  Descent(const CompiledSpec& compiled, const model::Problem& problem, const model::DeviceLimits& limits);
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;
  ~Descent() = default;

  /// Calls visit(coordinates) for each valid configuration, in order, until it returns false.
  template <typename Visit>
  void walk(Visit&& visit) {
    if (!passes(m_always)) return;
    if (m_compiled.spec.listed.empty()) {
      descend(0, visit);
      return;
    }
    for (const std::vector<std::uint16_t>& coordinates : m_compiled.spec.listed)
      if (set_all(coordinates) && !visit(std::span<const std::uint16_t>(m_coordinates))) return;
  }

  /// Ends walk() as if the visitor had had enough, before it has tried so many values.
  void give_up_after(std::uint64_t steps) { m_most_steps = steps; }
  bool has_given_up() const { return m_steps > m_most_steps; }

 private:
  friend class SpaceCounter;
  friend class SpaceSampler;
  /// What can be decided, or computed, once a level is set.
  struct Action {
    /// relaxed: a constraint with only some of its terms evaluated
    enum class Kind { derive, constraint, activity, relaxed };
    Kind kind = Kind::constraint;
    const CompiledDerived* derived = nullptr;
    const Program* program = nullptr;
    std::size_t parameter = 0;  ///< activity: whose
  };

  struct Level {
    const CompiledParameter* parameter = nullptr;
    std::size_t slot = 0;
    bool decided =
        true;  ///< whether `when` can be evaluated before this parameter is set; if not, both are tried
    std::vector<Action> actions;
  };

  struct Choices {
    bool inactive = false;
    bool values = true;
  };

  void schedule_derived();
  void schedule_whens();
  void schedule_constraints();
  void schedule_relaxed();
  /// The slots with a value once so many parameters are set.
  std::vector<bool> known_with(std::size_t parameters) const;
  /// Number of parameters that must be set before `program` can be evaluated.
  std::size_t known_after(const Program& program) const;
  std::vector<Action>& actions_after(std::size_t parameters) {
    return parameters == 0 ? m_always : m_levels[parameters - 1].actions;
  }

  Choices choices(const Level& level) const;
  bool set(std::size_t level, std::uint16_t coordinate, std::int64_t value);
  bool set_all(std::span<const std::uint16_t> coordinates);
  bool passes(const std::vector<Action>& actions);

  /// False where the visitor has had enough.
  template <typename Visit>
  bool descend(std::size_t index, Visit& visit) {
    if (index == m_levels.size()) return visit(std::span<const std::uint16_t>(m_coordinates));
    const CompiledParameter& parameter = *m_levels[index].parameter;
    const Choices choice = choices(m_levels[index]);
    if (choice.inactive && set(index, ConfigurationList::inactive, parameter.otherwise) &&
        !descend(index + 1, visit)) {
      return false;
    }
    for (std::size_t i = 0; choice.values && i < parameter.codes.size(); ++i) {
      if (++m_steps > m_most_steps) return false;
      if (set(index, static_cast<std::uint16_t>(i), parameter.codes[i]) && !descend(index + 1, visit)) {
        return false;
      }
    }
    return true;
  }

  const CompiledSpec& m_compiled;
  Slots m_slots;
  std::vector<Action> m_always;  ///< before any parameter is set
  std::vector<Level> m_levels;
  std::deque<Program> m_relaxed;             ///< stay where they are: actions refer to them
  std::vector<std::size_t> m_derived_after;  ///< known_after() of each derived value, by index from the first
  std::vector<std::uint16_t> m_coordinates;
  std::uint64_t m_steps = 0;  ///< values tried in walk()
  std::uint64_t m_most_steps = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace tuner::space
