#include "db/json_values.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "db/json.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/fields.hpp"

namespace db {
namespace {

using tuner::model::Assignment;
using tuner::model::Configuration;
using tuner::model::DeviceLimits;
using tuner::model::Dimension;
using tuner::model::Environment;
using tuner::model::Error;
using tuner::model::Problem;
using tuner::model::Value;

constexpr std::size_t most_entries = 256;

void require(bool sound, const char* what, const Json& value) {
  if (!sound) throw Error(fmt::format("{} was expected, found {}", what, json_line(value).substr(0, 60)));
}

void require_object(const Json& value, const char* what) {
  require(value.is_object() && value.size() <= most_entries, what, value);
}

}  // namespace

Json json_of(const Configuration& configuration) {
  return Json::parse(configuration.json());
}

Configuration configuration_from(const Json& value) {
  require_object(value, "an object of parameters");
  std::vector<Assignment> assignments;
  for (const auto& [name, item] : value.items()) {
    require(item.is_number_integer() || item.is_string(), "a whole number or a word", item);
    assignments.push_back(
        {name, item.is_string() ? Value(item.get<std::string>()) : Value(item.get<std::int64_t>())});
  }
  return Configuration(std::move(assignments));
}

Json json_of(const std::vector<Dimension>& sizes) {
  Json out = Json::object();
  for (const Dimension& size : sizes) out[size.name] = size.value;
  return out;
}

std::vector<Dimension> sizes_from(const Json& value) {
  require_object(value, "an object of sizes");
  std::vector<Dimension> sizes;
  for (const auto& [name, item] : value.items()) {
    require(item.is_number_integer() && item.get<std::int64_t>() > 0, "a positive size", item);
    sizes.push_back({name, item.get<std::int64_t>()});
  }
  return sizes;
}

Json json_of(const tuner::model::Metrics& metrics) {
  Json out = Json::object();
  for (const auto& [name, number] : metrics) out[name] = json_number(number);
  return out;
}

tuner::model::Metrics metrics_from(const Json& value) {
  require_object(value, "an object of metrics");
  tuner::model::Metrics metrics;
  for (const auto& [name, item] : value.items()) {
    require(read_number(item, metrics[name]), "a number", item);
  }
  return metrics;
}

Json json_of(const std::vector<std::string>& names) {
  Json out = Json::array();
  for (const std::string& name : names) out.push_back(name);
  return out;
}

std::vector<std::string> names_from(const Json& value) {
  require(value.is_array() && value.size() <= most_entries, "an array of names", value);
  std::vector<std::string> names;
  for (const Json& item : value) {
    require(item.is_string(), "a name", item);
    names.push_back(item.get<std::string>());
  }
  return names;
}

Json json_of(const DeviceLimits& limits) {
  return object_of(limits);
}

DeviceLimits limits_from(const Json& value) {
  return object_from<DeviceLimits>(Fields(value, "limits"));
}

Json json_of(const Environment& value) {
  return {{"device", value.device},        {"driver", value.driver}, {"toolkit", value.toolkit},
          {"type", cuda_name(value.type)}, {"l2", value.l2},         {"method", value.method},
          {"inputs", value.inputs}};
}

Environment environment_from(const Fields& fields) {
  Environment value;
  value.device = fields.text("device");
  value.driver = fields.text("driver");
  value.toolkit = fields.text("toolkit");
  value.type = fields.type("type");
  value.l2 = fields.text("l2");
  value.method = fields.text("method");
  value.inputs = fields.text("inputs");
  return value;
}

Problem problem_from(const Fields& fields) {
  return {fields.text("family"), sizes_from(fields.value("sizes")), fields.type("type"),
          fields.integer("row_padding", 0)};
}

}  // namespace db
