#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/space/configuration_list.hpp"

namespace tuner::space {

/// Finds configurations of anywhere in a list, by their values: positions in value lists may have changed,
/// and so may the parameters. Some 30 ms for 200,000 configurations, then a look each.
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
