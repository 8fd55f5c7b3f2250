#include "tuner/space/configuration_list.hpp"

#include <utility>

namespace tuner::space {

ConfigurationList::ConfigurationList(const std::vector<model::ParameterSpec>& parameters) {
  std::vector<Parameter> kept;
  for (const model::ParameterSpec& parameter : parameters) {
    kept.push_back({parameter.name, parameter.values, parameter.otherwise});
  }
  m_parameters = std::make_shared<const std::vector<Parameter>>(std::move(kept));
}

void ConfigurationList::add(std::span<const std::uint16_t> coordinates) {
  m_coordinates.insert(m_coordinates.end(), coordinates.begin(), coordinates.end());
  ++m_size;
}

std::span<const std::uint16_t> ConfigurationList::coordinates(std::size_t index) const {
  return {m_coordinates.data() + index * parameters(), parameters()};
}

model::Configuration ConfigurationList::operator[](std::size_t index) const {
  std::vector<model::Assignment> assignments;
  assignments.reserve(parameters());
  const std::span<const std::uint16_t> at = coordinates(index);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Parameter& parameter = (*m_parameters)[i];
    assignments.push_back(
        {parameter.name, at[i] == inactive ? parameter.otherwise : parameter.values[at[i]]});
  }
  return model::Configuration(std::move(assignments));
}

}  // namespace tuner::space
