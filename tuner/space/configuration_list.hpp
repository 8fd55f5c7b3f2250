#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

class CountedSpace;

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

}  // namespace tuner::space
