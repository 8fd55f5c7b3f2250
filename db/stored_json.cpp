#include "db/stored_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "db/json_values.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Assignment;
using tuner::model::Configuration;

std::string parameters_json(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const Assignment& assignment : configuration.assignments()) names.push_back(assignment.name);
  return names_json(names);
}

Configuration stored_configuration(std::string_view canonical_json, std::string_view parameters) {
  const Configuration sorted = configuration_from(parse_json(canonical_json));
  std::vector<Assignment> written;
  for (const std::string& name : stored_names(parameters)) {
    const tuner::model::Value* value = sorted.find(name);
    if (value == nullptr) {
      throw tuner::model::Error(fmt::format("configuration {} has no {}", canonical_json, name));
    }
    written.push_back({name, *value});
  }
  return Configuration(std::move(written));
}

std::string macros_json(const Configuration& macros) {
  return macros.assignments().empty() ? std::string() : json_line(json_of(macros));
}

Configuration stored_macros(std::string_view json) {
  return json.empty() ? Configuration() : configuration_from(parse_json(json));
}

std::vector<tuner::model::Dimension> stored_sizes(std::string_view json) {
  return sizes_from(parse_json(json));
}

std::string metrics_json(const tuner::model::Metrics& metrics) {
  return json_line(json_of(metrics));
}

tuner::model::Metrics stored_metrics(std::string_view json) {
  return metrics_from(parse_json(json));
}

std::string names_json(const std::vector<std::string>& names) {
  return json_line(json_of(names));
}

std::vector<std::string> stored_names(std::string_view json) {
  return names_from(parse_json(json));
}

std::string limits_json(const tuner::model::DeviceLimits& limits) {
  return json_line(json_of(limits));
}

tuner::model::DeviceLimits stored_limits(std::string_view json) {
  return limits_from(parse_json(json));
}

}  // namespace db
