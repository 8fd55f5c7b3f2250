#include "tuner/space/configuration_list.hpp"

#include <utility>

#include "tuner/space/counted_space.hpp"

namespace tuner::space {

ConfigurationList::ConfigurationList(const std::vector<model::ParameterSpec>& parameters) {
  std::vector<Parameter> kept;
  for (const model::ParameterSpec& parameter : parameters) {
    kept.push_back({parameter.name, parameter.values, parameter.otherwise});
  }
  m_parameters = std::make_shared<const std::vector<Parameter>>(std::move(kept));
}

ConfigurationList::ConfigurationList(const std::vector<model::ParameterSpec>& parameters,
                                     std::shared_ptr<const CountedSpace> counted)
    : ConfigurationList(parameters) {
  m_counted = std::move(counted);
  m_size = static_cast<std::size_t>(m_counted->size());
}

void ConfigurationList::add(std::span<const std::uint16_t> coordinates) {
  m_coordinates.insert(m_coordinates.end(), coordinates.begin(), coordinates.end());
  ++m_size;
}

Coordinates ConfigurationList::coordinates(std::size_t index) const {
  if (!m_counted) return Coordinates(std::span(m_coordinates.data() + index * parameters(), parameters()));
  std::vector<std::uint16_t> at(parameters());
  m_counted->coordinates(static_cast<std::int64_t>(index), at);
  return Coordinates(std::move(at));
}

model::Configuration ConfigurationList::operator[](std::size_t index) const {
  std::vector<model::Assignment> assignments;
  assignments.reserve(parameters());
  const Coordinates at = coordinates(index);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Parameter& parameter = (*m_parameters)[i];
    assignments.push_back(
        {parameter.name, at[i] == inactive ? parameter.otherwise : parameter.values[at[i]]});
  }
  return model::Configuration(std::move(assignments));
}

}  // namespace tuner::space
