#include "db/json_values.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Assignment;
using tuner::model::ComparisonClass;
using tuner::model::Configuration;
using tuner::model::DeviceLimits;
using tuner::model::Dimension;
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

/// Calls `visit` with the name and a reference to each limit, so that reading and writing cannot differ.
template <typename Limits, typename Visit>
void for_each_limit(Limits& limits, const Visit& visit) {
  visit("multiprocessors", limits.multiprocessors);
  visit("warp_size", limits.warp_size);
  visit("max_threads_per_block", limits.max_threads_per_block);
  visit("max_threads_per_multiprocessor", limits.max_threads_per_multiprocessor);
  visit("max_blocks_per_multiprocessor", limits.max_blocks_per_multiprocessor);
  visit("registers_per_block", limits.registers_per_block);
  visit("registers_per_multiprocessor", limits.registers_per_multiprocessor);
  visit("shared_bytes_per_block", limits.shared_bytes_per_block);
  visit("shared_bytes_per_block_optin", limits.shared_bytes_per_block_optin);
  visit("shared_bytes_per_multiprocessor", limits.shared_bytes_per_multiprocessor);
  visit("reserved_shared_bytes_per_block", limits.reserved_shared_bytes_per_block);
  visit("max_grid_x", limits.max_grid_x);
  visit("max_grid_y", limits.max_grid_y);
  visit("max_grid_z", limits.max_grid_z);
  visit("max_block_x", limits.max_block_x);
  visit("max_block_y", limits.max_block_y);
  visit("max_block_z", limits.max_block_z);
  visit("l2_bytes", limits.l2_bytes);
}

}  // namespace

Json json_of(const Configuration& configuration) {
  Json out = Json::object();
  for (const Assignment& assignment : configuration.assignments()) {
    if (assignment.value.is_word()) {
      out[assignment.name] = assignment.value.text();
    } else {
      out[assignment.name] = assignment.value.code();
    }
  }
  return out;
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
  Json out = Json::object();
  for_each_limit(limits, [&](const char* name, const auto& limit) { out[name] = limit; });
  return out;
}

DeviceLimits limits_from(const Json& value) {
  const Fields fields(value, "limits");
  DeviceLimits limits;
  for_each_limit(limits, [&](const char* name, auto& limit) {
    using Limit = std::remove_reference_t<decltype(limit)>;
    limit = static_cast<Limit>(
        fields.integer(name, std::numeric_limits<Limit>::min(), std::numeric_limits<Limit>::max()));
  });
  return limits;
}

Json json_of(const ComparisonClass& value) {
  return {{"device", value.device},        {"driver", value.driver}, {"toolkit", value.toolkit},
          {"type", cuda_name(value.type)}, {"l2", value.l2},         {"method", value.method},
          {"inputs", value.inputs}};
}

ComparisonClass class_from(const Fields& fields) {
  ComparisonClass value;
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
