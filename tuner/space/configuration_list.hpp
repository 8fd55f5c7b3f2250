#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

/// Many configurations of one kernel, two bytes a parameter each: 241,600 of fourteen parameters take 7 MB,
/// where as model::Configuration objects they would take 240. Copies share what describes the parameters.
class ConfigurationList {
 public:
  /// Coordinate of a parameter that is inactive; else a coordinate is the value's position in the spec's
  /// list.
  static constexpr std::uint16_t inactive = 0xFFFF;

  explicit ConfigurationList(const std::vector<model::ParameterSpec>& parameters);

  /// `coordinates`: one per parameter, in written order.
  void add(std::span<const std::uint16_t> coordinates);
  void reserve(std::size_t configurations) { m_coordinates.reserve(configurations * parameters()); }
  std::size_t size() const { return m_size; }
  std::size_t parameters() const { return m_parameters->size(); }
  /// Where configuration `index` lies in the space, one coordinate per parameter.
  std::span<const std::uint16_t> coordinates(std::size_t index) const;
  model::Configuration operator[](std::size_t index) const;

 private:
  struct Parameter {
    std::string name;
    std::vector<model::Value> values;
    model::Value otherwise;
  };
  std::shared_ptr<const std::vector<Parameter>> m_parameters;
  std::vector<std::uint16_t> m_coordinates;
  std::size_t m_size = 0;
};

}  // namespace tuner::space
