#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/space/configuration_list.hpp"
#include "tuner/space/descent.hpp"

namespace tuner::space {

void CountedSpace::coordinates(std::int64_t index, std::span<std::uint16_t> at) const {
  std::uint32_t node = m_root;
  for (std::size_t level = 0; level < m_parameters; ++level) {
    const std::span<const Edge> edges = edges_of(node);
    const auto behind = std::ranges::upper_bound(edges, index, {}, &Edge::before);
    const Edge& edge = *(behind - 1);
    at[level] = edge.coordinate;
    index -= edge.before;
    node = edge.node;
  }
}

std::optional<std::int64_t> CountedSpace::find(std::span<const std::uint16_t> coordinates) const {
  if (m_size == 0 || coordinates.size() != m_parameters) return std::nullopt;
  std::int64_t index = 0;
  std::uint32_t node = m_root;
  for (const std::uint16_t coordinate : coordinates) {
    const std::span<const Edge> edges = edges_of(node);
    const auto edge = std::ranges::find(edges, coordinate, &Edge::coordinate);
    if (edge == edges.end()) return std::nullopt;
    index += edge->before;
    node = edge->node;
  }
  return index < m_size ? std::optional(index) : std::nullopt;
}

std::optional<std::int64_t> CountedSpace::find_if(const Fits& fits) const {
  return m_size == 0 ? std::nullopt : find_from(m_root, 0, fits);
}

std::optional<std::int64_t> CountedSpace::find_from(std::uint32_t node, std::size_t level,
                                                    const Fits& fits) const {
  if (level == m_parameters) return 0;
  for (const Edge& edge : edges_of(node)) {
    if (!fits(level, edge.coordinate)) continue;
    if (const auto found = find_from(edge.node, level + 1, fits)) return edge.before + *found;
  }
  return std::nullopt;
}

namespace {

/// A value on the stack: the instructions that make it, whether all they read is known, and whether any of
/// that varies.
struct Part {
  std::size_t begin = 0;
  bool known = true;
  bool varies = false;
};

/// What of `program` has a value once the slots with `known` have one: the largest such parts that depend on
/// a slot with `varies`, to be evaluated by themselves. Two states that agree in them cannot be told apart by
/// the program.
std::vector<Program> known_parts(const Program& program, const std::vector<bool>& known,
                                 const std::vector<bool>& varies) {
  std::vector<Program> parts;
  const bool is_whole =
      std::ranges::all_of(program.reads, [&](int slot) { return known[static_cast<std::size_t>(slot)]; });
  if (is_whole) {
    const bool any =
        std::ranges::any_of(program.reads, [&](int slot) { return varies[static_cast<std::size_t>(slot)]; });
    if (any) parts.push_back(program);
    return parts;
  }
  if (std::ranges::any_of(program.code, is_jump, &Instruction::op)) {
    // Which parts are evaluated depends on values: what it reads is what it sees.
    for (const Instruction& one : program.code) {
      if (one.op != Op::load && one.op != Op::load_derived) continue;
      const auto at = static_cast<std::size_t>(one.argument);
      if (known[at] && varies[at]) parts.push_back({{one}, {}, {one.argument}});
    }
    return parts;
  }
  std::vector<Part> stack;
  const auto emit = [&](const Part& part, std::size_t end) {
    if (!part.known || !part.varies) return;
    Program cut;
    cut.code.assign(program.code.begin() + static_cast<std::ptrdiff_t>(part.begin),
                    program.code.begin() + static_cast<std::ptrdiff_t>(end));
    cut.literals = program.literals;
    parts.push_back(std::move(cut));
  };
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& one = program.code[i];
    if (one.op == Op::constant) {
      stack.push_back({i, true, false});
    } else if (one.op == Op::load || one.op == Op::load_derived) {
      const auto slot = static_cast<std::size_t>(one.argument);
      stack.push_back({i, known[slot], varies[slot]});
    } else if (one.op == Op::load_time) {
      stack.push_back({i, false, true});
    } else if (!is_unary(one.op)) {
      const Part right = stack.back();
      stack.pop_back();
      Part& left = stack.back();
      if (left.known != right.known) {
        emit(left, right.begin);
        emit(right, i);
      }
      left.known = left.known && right.known;
      left.varies = left.varies || right.varies;
    }
  }
  return parts;
}

}  // namespace

/// Makes the graph of a CountedSpace: a descent that turns back where it has been, too.
class SpaceCounter {
 public:
  SpaceCounter(const CompiledSpec& compiled, const model::Problem& problem, const model::DeviceLimits& limits,
               CountedSpace& space, const GoOn& go_on)
      : m_compiled(compiled), m_space(space), m_go_on(go_on), m_descent(compiled, problem, limits) {
    find_what_is_seen();
  }

  /// False where it was given up.
  bool count() {
    if (m_descent.passes(m_descent.m_always)) {
      const std::uint32_t root = visit(0);
      if (m_given_up) return false;
      if (root != dead) {
        m_space.m_root = root;
        m_space.m_size = m_counts[root];
      }
    }
    m_space.m_edges.shrink_to_fit();
    return true;
  }

 private:
  /// What the rest sees of what is set, one number a part.
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0x9E3779B97F4A7C15U;
      for (const std::int64_t one : key) {
        hash ^= static_cast<std::uint64_t>(one);
        hash *= 0xFF51AFD7ED558CCDU;
        hash ^= hash >> 32U;
      }
      return hash;
    }
  };
  struct Seen {
    std::vector<Program> parts;
    std::vector<std::size_t> activities;  ///< parameters that may still be inactive
    std::unordered_map<Key, std::uint32_t, KeyHash> nodes;
  };
  static constexpr std::uint32_t dead = 0xFFFFFFFF;
  static constexpr std::size_t most_states = std::size_t{1} << 18U;  // made in half a second

  void find_what_is_seen() {
    using Kind = Descent::Action::Kind;
    const Scope& scope = m_compiled.scope;
    const std::vector<Descent::Level>& levels = m_descent.m_levels;
    std::vector<bool> varies(static_cast<std::size_t>(scope.slots()), false);
    for (int slot = scope.parameter_slot(0); slot < scope.slots(); ++slot)
      varies[static_cast<std::size_t>(slot)] = true;
    m_seen.resize(levels.size());
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const std::vector<bool> known = m_descent.known_with(level);
      Seen& seen = m_seen[level];
      std::set<std::string> met;
      const auto add = [&](const Program& program) {
        for (Program& part : known_parts(program, known, varies)) {
          std::string text;
          for (const Instruction& one : part.code) {
            text += std::to_string(static_cast<int>(one.op)) + ' ';
            text += one.op == Op::constant
                        ? 'c' + std::to_string(part.literals[static_cast<std::size_t>(one.argument)].integer)
                        : std::to_string(one.argument);
            text += ';';
          }
          if (met.insert(text).second) seen.parts.push_back(std::move(part));
        }
      };
      for (std::size_t i = level; i < levels.size(); ++i) {
        if (levels[i].decided && levels[i].parameter->when) add(levels[i].parameter->when->program);
        for (const Descent::Action& action : levels[i].actions) {
          if (action.kind == Kind::relaxed) continue;  // it sees no more than its constraint will
          add(action.kind == Kind::derive ? action.derived->value.program : *action.program);
          if (action.kind == Kind::activity && action.parameter < level)
            seen.activities.push_back(action.parameter);
        }
      }
    }
  }

  bool is_over() {
    constexpr std::uint64_t steps_a_look = 1U << 14U;
    if (m_given_up) return true;
    const bool is_too_large = m_space.m_edges.size() > CountedSpace::most_edges || m_states > most_states;
    const bool looks = ++m_steps % steps_a_look == 0;
    m_given_up = is_too_large || (looks && m_go_on && !m_go_on());
    return m_given_up;
  }

  /// The node of the level that is reached with what is set; `dead` where nothing valid is behind it.
  std::uint32_t visit(std::size_t level) {
    if (level == m_seen.size()) {
      if (m_counts.empty()) {  // one end for all
        m_counts.push_back(1);
        m_space.m_first.push_back(0);
      }
      return 0;
    }
    Seen& seen = m_seen[level];
    Key key;
    key.reserve(seen.parts.size() + seen.activities.size());
    for (const Program& part : seen.parts) {
      const Evaluated<std::int64_t> value = evaluate(part, m_descent.m_slots);
      constexpr std::int64_t no_value = std::numeric_limits<std::int64_t>::min();
      key.push_back(value.fault == Fault::none ? value.value : no_value + static_cast<int>(value.fault));
    }
    for (const std::size_t parameter : seen.activities)
      key.push_back(m_descent.m_coordinates[parameter] == ConfigurationList::inactive);
    if (const auto known = seen.nodes.find(key); known != seen.nodes.end()) return known->second;
    const std::uint32_t node = make_node(level);
    ++m_states;
    if (!m_given_up) seen.nodes.emplace(std::move(key), node);
    return node;
  }

  std::uint32_t make_node(std::size_t level) {
    std::vector<CountedSpace::Edge> edges;
    std::int64_t count = 0;
    const auto try_one = [&](std::uint16_t coordinate, std::int64_t value) {
      if (is_over() || !m_descent.set(level, coordinate, value)) return;
      const std::uint32_t node = visit(level + 1);
      if (m_given_up || node == dead) return;
      edges.push_back({count, node, coordinate});
      m_given_up = m_counts[node] > CountedSpace::most - count;
      count += m_counts[node];
    };
    const CompiledParameter& parameter = *m_descent.m_levels[level].parameter;
    const Descent::Choices choice = m_descent.choices(m_descent.m_levels[level]);
    if (choice.inactive) try_one(ConfigurationList::inactive, parameter.otherwise);
    for (std::size_t i = 0; choice.values && i < parameter.codes.size(); ++i)
      try_one(static_cast<std::uint16_t>(i), parameter.codes[i]);
    if (edges.empty() || m_given_up) return dead;
    m_space.m_edges.insert(m_space.m_edges.end(), edges.begin(), edges.end());
    m_space.m_first.push_back(static_cast<std::uint32_t>(m_space.m_edges.size()));
    m_counts.push_back(count);
    return static_cast<std::uint32_t>(m_counts.size() - 1);
  }

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

std::shared_ptr<const CountedSpace> CountedSpace::make(const CompiledSpec& compiled,
                                                       const model::Problem& problem,
                                                       const model::DeviceLimits& limits, const GoOn& go_on) {
  auto space = std::make_shared<CountedSpace>();
  space->m_parameters = compiled.parameters.size();
  return SpaceCounter(compiled, problem, limits, *space, go_on).count() ? space : nullptr;
}

/// A descent that takes the values of each parameter in random order, and begins again where it has looked
/// for long without meeting anything.
class SpaceSampler {
 public:
  SpaceSampler(const CompiledSpec& compiled, const model::Problem& problem, const model::DeviceLimits& limits)
      : m_descent(compiled, problem, limits) {}

  ConfigurationList draw(const std::vector<model::ParameterSpec>& parameters, std::size_t most,
                         const GoOn& go_on, const std::optional<std::vector<std::uint16_t>>& first) {
    constexpr std::uint64_t least_steps = std::uint64_t{1} << 16U;  // takes milliseconds
    constexpr std::uint64_t most_steps = std::uint64_t{1} << 25U;
    std::set<std::vector<std::uint16_t>> found;
    if (first) found.insert(*first);
    std::uint64_t looked = 0;
    const bool any = m_descent.passes(m_descent.m_always);
    while (any && found.size() < most && m_steps < most_steps &&
           (m_steps < least_steps || !go_on || go_on())) {
      m_end = m_steps + patience;
      if (descend(0)) found.insert(m_descent.m_coordinates);
      // Hundreds of descents met none that is new: the sample is complete.
      if (++looked > 64 * (found.size() + 4096)) break;
    }
    ConfigurationList list(parameters);
    for (const auto& coordinates : found) list.add(coordinates);
    list.mark_as_sample();
    return list;
  }

 private:
  static constexpr std::uint64_t patience = 1U << 16U;

  bool descend(std::size_t index) {
    if (index == m_descent.m_levels.size()) return true;
    const CompiledParameter& parameter = *m_descent.m_levels[index].parameter;
    const Descent::Choices choice = m_descent.choices(m_descent.m_levels[index]);
    std::vector<std::uint16_t> order;
    if (choice.inactive) order.push_back(ConfigurationList::inactive);
    for (std::size_t i = 0; choice.values && i < parameter.codes.size(); ++i)
      order.push_back(static_cast<std::uint16_t>(i));
    for (std::size_t left = order.size(); left > 0 && m_steps < m_end; --left) {
      std::swap(order[left - 1], order[m_random() % left]);
      const std::uint16_t at = order[left - 1];
      const bool off = at == ConfigurationList::inactive;
      ++m_steps;
      if (m_descent.set(index, at, off ? parameter.otherwise : parameter.codes[at]) && descend(index + 1))
        return true;
    }
    return false;
  }

  Descent m_descent;
  std::mt19937_64 m_random{1};
  std::uint64_t m_steps = 0;
  std::uint64_t m_end = 0;
};

ConfigurationList sample_space(const CompiledSpec& compiled, const model::Problem& problem,
                               const model::DeviceLimits& limits, std::size_t most, const GoOn& go_on,
                               const std::optional<std::vector<std::uint16_t>>& first) {
  // Where one in hundreds is valid, these take two seconds.
  constexpr std::size_t most_drawn = std::size_t{1} << 14U;
  return SpaceSampler(compiled, problem, limits)
      .draw(compiled.spec.parameters, std::min(most, most_drawn), go_on, first);
}

}  // namespace tuner::space
