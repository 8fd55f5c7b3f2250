#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/descent.hpp"

namespace tuner::space {

/// Asked now and then by what may take long; false ends it.
using GoOn = std::function<bool()>;

/// All valid configurations of a kernel on a problem, none of them listed: a graph with a level for each
/// parameter in written order. Two beginnings lead to one node where the constraints left see no difference
/// between them, so that 10^10 configurations are a few thousand nodes. Each edge knows how many
/// configurations lie before it, which makes the n-th configuration, and the place of one, a walk of a step a
/// parameter. Const, and may be asked from several threads at once.
class CountedSpace {
 public:
  /// More configurations are not counted.
  static constexpr std::int64_t most = std::int64_t{1} << 62;
  /// A graph of more edges is given up: 16 bytes each, and as much again for what is met while it is made.
  static constexpr std::size_t most_edges = std::size_t{1} << 23;

  /// Null where there are more than `most`, the graph would have too many edges or nodes, or `go_on` ended
  /// it.
  static std::shared_ptr<const CountedSpace> make(const CompiledSpec& compiled, const model::Problem& problem,
                                                  const model::DeviceLimits& limits, const GoOn& go_on = {});

  std::int64_t size() const { return m_size; }
  std::size_t edges() const { return m_edges.size(); }
  /// The coordinates of configuration `index`, in the order in which a list would have them. `at` has a place
  /// for each parameter.
  void coordinates(std::int64_t index, std::span<std::uint16_t> at) const;
  /// The index of those coordinates; nothing where they are not valid.
  std::optional<std::int64_t> find(std::span<const std::uint16_t> coordinates) const;
  /// The first configuration whose coordinate of each parameter `fits`.
  using Fits = std::function<bool(std::size_t parameter, std::uint16_t coordinate)>;
  std::optional<std::int64_t> find_if(const Fits& fits) const;

 private:
  friend class SpaceCounter;
  struct Edge {
    std::int64_t before = 0;  ///< configurations behind the earlier edges of its node
    std::uint32_t node = 0;   ///< where it leads
    std::uint16_t coordinate = 0;
  };
  std::optional<std::int64_t> find_from(std::uint32_t node, std::size_t level, const Fits& fits) const;
  std::span<const Edge> edges_of(std::uint32_t node) const {
    return {m_edges.data() + m_first[node], m_first[node + 1] - m_first[node]};
  }

  std::size_t m_parameters = 0;
  std::int64_t m_size = 0;
  std::uint32_t m_root = 0;
  std::vector<Edge> m_edges;
  std::vector<std::uint32_t> m_first{0};  ///< of each node, its first edge; one more at the end
};

/// `first` and valid configurations met by random descents, each once and `most` of them, in written order,
/// marked as a sample: for a space that cannot be counted. What has few siblings is met more often than the
/// rest. The same for the same space, unless `go_on` ended it.
ConfigurationList sample_space(const CompiledSpec& compiled, const model::Problem& problem,
                               const model::DeviceLimits& limits, std::size_t most, const GoOn& go_on,
                               const std::optional<std::vector<std::uint16_t>>& first);

}  // namespace tuner::space
