#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

class CountedSpace;
struct CompiledSpec;

/// Where a configuration lies, one coordinate a parameter: seen in the list, or worked out and kept here.
class Coordinates {
 public:
  explicit Coordinates(std::span<const std::uint16_t> seen) : m_seen(seen) {}
  explicit Coordinates(std::vector<std::uint16_t> own) : m_own(std::move(own)), m_seen(m_own) {}
  Coordinates(Coordinates&&) = default;  // a moved vector's elements stay where they are
  Coordinates(const Coordinates&) = delete;
  Coordinates& operator=(const Coordinates&) = delete;
  Coordinates& operator=(Coordinates&&) = delete;
  ~Coordinates() = default;

  std::uint16_t operator[](std::size_t parameter) const { return m_seen[parameter]; }
  std::size_t size() const { return m_seen.size(); }
  bool empty() const { return m_seen.empty(); }
  auto begin() const { return m_seen.begin(); }
  auto end() const { return m_seen.end(); }
  const std::uint16_t* data() const { return m_seen.data(); }

 private:
  std::vector<std::uint16_t> m_own;
  std::span<const std::uint16_t> m_seen;
};

/// Many configurations of one kernel, two bytes a parameter each: 241,600 of fourteen parameters take 7 MB,
/// where as model::Configuration objects they would take 240. Copies share what describes the parameters. A
/// space too large for that is counted instead: it looks the same, and takes no memory a configuration.
class ConfigurationList {
 public:
  /// Coordinate of a parameter that is inactive; else a coordinate is the value's position in the spec's
  /// list.
  static constexpr std::uint16_t inactive = 0xFFFF;

  explicit ConfigurationList(const std::vector<model::ParameterSpec>& parameters);
  /// All configurations of `counted`, which are made when they are asked for; none can be added.
  ConfigurationList(const std::vector<model::ParameterSpec>& parameters,
                    std::shared_ptr<const CountedSpace> counted);

  /// A list of none, to which configurations of the same kernel can be added.
  ConfigurationList without_any() const {
    ConfigurationList none;
    none.m_parameters = m_parameters;
    return none;
  }
  /// Null where the configurations are listed.
  const CountedSpace* counted() const { return m_counted.get(); }
  /// Whether it is a sample of a space that can be neither listed nor counted.
  bool is_sample() const { return m_is_sample; }
  void mark_as_sample() { m_is_sample = true; }
  /// `coordinates`: one per parameter, in written order.
  void add(std::span<const std::uint16_t> coordinates);
  void reserve(std::size_t configurations) { m_coordinates.reserve(configurations * parameters()); }
  std::size_t size() const { return m_size; }
  std::size_t parameters() const { return m_parameters->size(); }
  /// Where configuration `index` lies in the space, one coordinate per parameter.
  Coordinates coordinates(std::size_t index) const;
  model::Configuration operator[](std::size_t index) const;

 private:
  ConfigurationList() = default;

  std::shared_ptr<const std::vector<model::ParameterSpec>> m_parameters;
  std::shared_ptr<const CountedSpace> m_counted;
  std::vector<std::uint16_t> m_coordinates;
  std::size_t m_size = 0;
  bool m_is_sample = false;
};

/// Finds a configuration in a list by its values. It may come from an older spec, where the parameters and
/// the positions of values are others. Takes 30 ms for 200,000 configurations, then one lookup each.
class ConfigurationIndex {
 public:
  /// `list` must outlive the object; `parameters`: those it was made with.
  ConfigurationIndex(const ConfigurationList& list, const std::vector<model::ParameterSpec>& parameters);

  /// Nothing where it has other parameters, or is not in the list.
  std::optional<std::size_t> find(const model::Configuration& configuration) const;

 private:
  /// A number for each value of a parameter; an inactive one has that of `otherwise`.
  struct Codes {
    std::string name;
    std::map<model::Value, std::uint16_t> of_value;
    std::uint16_t inactive = 0;
  };
  std::vector<std::uint16_t> codes_at(std::size_t index) const;

  const ConfigurationList& m_list;
  std::vector<Codes> m_codes;
  std::unordered_multimap<std::uint64_t, std::size_t> m_places;  ///< by hash of the codes
};

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
