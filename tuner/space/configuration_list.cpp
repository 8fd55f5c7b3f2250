#include "tuner/space/configuration_list.hpp"

#include <utility>

namespace tuner::space {

ConfigurationList::ConfigurationList(const std::vector<model::ParameterSpec>& parameters)
    : m_parameters(std::make_shared<const std::vector<model::ParameterSpec>>(parameters)) {}

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
    const model::ParameterSpec& parameter = (*m_parameters)[i];
    assignments.push_back(
        {parameter.name, at[i] == inactive ? parameter.otherwise : parameter.values[at[i]]});
  }
  return model::Configuration(std::move(assignments));
}

namespace {

/// FNV-1a over the codes.
std::uint64_t hash_of(const std::vector<std::uint16_t>& codes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint16_t code : codes) hash = (hash ^ code) * 0x100000001b3U;
  return hash;
}

}  // namespace

ConfigurationIndex::ConfigurationIndex(const ConfigurationList& list,
                                       const std::vector<model::ParameterSpec>& parameters)
    : m_list(list) {
  for (const model::ParameterSpec& parameter : parameters) {
    Codes& codes = m_codes.emplace_back();
    codes.name = parameter.name;
    for (std::size_t i = 0; i < parameter.values.size(); ++i)
      codes.of_value.emplace(parameter.values[i], static_cast<std::uint16_t>(i));
    const auto next = static_cast<std::uint16_t>(parameter.values.size());
    codes.inactive = codes.of_value.emplace(parameter.otherwise, next).first->second;
  }
  if (list.counted()) return;
  m_places.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) m_places.emplace(hash_of(codes_at(i)), i);
}

std::vector<std::uint16_t> ConfigurationIndex::codes_at(std::size_t index) const {
  const auto coordinates = m_list.coordinates(index);
  std::vector<std::uint16_t> codes(coordinates.begin(), coordinates.end());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] == ConfigurationList::inactive) codes[i] = m_codes[i].inactive;
  }
  return codes;
}

std::optional<std::size_t> ConfigurationIndex::find(const model::Configuration& configuration) const {
  if (configuration.assignments().size() != m_codes.size()) return std::nullopt;
  std::vector<std::uint16_t> codes;
  for (const Codes& parameter : m_codes) {
    const model::Value* value = configuration.find(parameter.name);
    if (value == nullptr) return std::nullopt;
    const auto code = parameter.of_value.find(*value);
    if (code == parameter.of_value.end()) return std::nullopt;
    codes.push_back(code->second);
  }
  if (const CountedSpace* counted = m_list.counted()) {
    const auto index = counted->find_if([&](std::size_t parameter, std::uint16_t coordinate) {
      const bool off = coordinate == ConfigurationList::inactive;
      return codes[parameter] == (off ? m_codes[parameter].inactive : coordinate);
    });
    return index ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
  }
  const auto [first, last] = m_places.equal_range(hash_of(codes));
  for (auto it = first; it != last; ++it) {
    if (codes_at(it->second) == codes) return it->second;
  }
  return std::nullopt;
}

}  // namespace tuner::space
