#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/space/counted_space.hpp"
#include "tuner/space/descent.hpp"

namespace tuner::space {

/// What of `program` has a value once the slots with `known` have one: the largest such parts that depend on
/// a slot with `varies`, to be evaluated by themselves. Two states that agree in them cannot be told apart by
/// the program.
std::vector<Program> known_parts(const Program& program, const std::vector<bool>& known,
                                 const std::vector<bool>& varies);

/// Makes the graph of a CountedSpace: a descent that turns back where it has been, too.
class SpaceCounter {
 public:
  SpaceCounter(const CompiledSpec& compiled, const model::Problem& problem, const model::DeviceLimits& limits,
               CountedSpace& space, const GoOn& go_on);
  /// False where it was given up.
  bool count();

 private:
  /// What the rest sees of what is set, one number a part.
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Seen {
    std::vector<Program> parts;
    std::vector<std::size_t> activities;  ///< parameters of which it is still asked whether they are inactive
    std::unordered_map<Key, std::uint32_t, KeyHash> nodes;
  };
  static constexpr std::uint32_t dead = 0xFFFFFFFF;
  static constexpr std::size_t most_states = std::size_t{1} << 20U;

  void find_what_is_seen();
  /// The node of the level that is reached with what is set; `dead` where nothing valid is behind it.
  std::uint32_t visit(std::size_t level);
  std::uint32_t make_node(std::size_t level);
  bool is_over();

  const CompiledSpec& m_compiled;
  CountedSpace& m_space;
  const GoOn& m_go_on;
  Descent m_descent;
  std::vector<Seen> m_seen;            ///< by level
  std::vector<std::int64_t> m_counts;  ///< of each node
  std::size_t m_states = 0;
  std::uint64_t m_steps = 0;
  bool m_given_up = false;
};

}  // namespace tuner::space
