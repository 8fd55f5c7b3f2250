#include "tuner/space/counted_space.hpp"

#include <algorithm>

#include "tuner/space/space_counter.hpp"

namespace tuner::space {

std::shared_ptr<const CountedSpace> CountedSpace::make(const CompiledSpec& compiled,
                                                       const model::Problem& problem,
                                                       const model::DeviceLimits& limits, const GoOn& go_on) {
  auto space = std::make_shared<CountedSpace>();
  space->m_parameters = compiled.parameters.size();
  SpaceCounter counter(compiled, problem, limits, *space, go_on);
  return counter.count() ? space : nullptr;
}

void CountedSpace::coordinates(std::int64_t index, std::span<std::uint16_t> at) const {
  std::uint32_t node = m_root;
  for (std::size_t level = 0; level < m_parameters; ++level) {
    const std::span<const Edge> edges = edges_of(node);
    const auto behind =
        std::upper_bound(edges.begin(), edges.end(), index,
                         [](std::int64_t one, const Edge& edge) { return one < edge.before; });
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
    const auto edge = std::find_if(edges.begin(), edges.end(),
                                   [&](const Edge& one) { return one.coordinate == coordinate; });
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

}  // namespace tuner::space
