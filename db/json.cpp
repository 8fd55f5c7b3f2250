#include "db/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Assignment;
using tuner::model::Configuration;
using tuner::model::Digest;
using tuner::model::Dim3;
using tuner::model::Dimension;
using tuner::model::Error;
using tuner::model::Metrics;
using tuner::model::Value;

namespace {

constexpr int deepest = 8;
/// Names of parameters, metrics and sizes in one object.
constexpr std::size_t most_names = 256;
/// Logs are long.
constexpr std::size_t longest_text = std::size_t{16} << 20U;

/// What was found, short enough for a message.
std::string excerpt(const Json& value) {
  if (value.is_null()) return "missing";
  constexpr std::size_t longest = 60;
  std::string text = json_line(value);
  if (text.size() > longest) text = text.substr(0, longest) + "…";
  return text;
}

void require_object(const Json& json, const Where& where, std::string_view expected) {
  if (!json.is_object() || json.size() > most_names) refuse(where, json, expected);
}

template <class Number>
void read_whole(const Json& json, const Where& where, Number& value) {
  constexpr auto least = static_cast<std::int64_t>(std::numeric_limits<Number>::min());
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<Number>::max());
  const bool is_whole =
      json.is_number_unsigned() ? json.get<std::uint64_t>() <= INT64_MAX : json.is_number_integer();
  if (!is_whole || json.get<std::int64_t>() < least || json.get<std::int64_t>() > most)
    refuse(where, json, fmt::format("a whole number from {} to {}", least, most));
  value = json.get<Number>();
}

}  // namespace

namespace {

/// A parser goes a level deeper for each bracket, and ours calls itself there. (To ask for the depth while it
/// parses took as long again.)
void require_shallow(std::string_view text) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) {
      i += c == '\\' ? 1 : 0;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > deepest) throw Error(fmt::format("JSON is nested deeper than {} levels", deepest));
  }
}

}  // namespace

Json parse_json(std::string_view text) {
  require_shallow(text);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(fmt::format("no valid JSON at character {}", error.byte));
  } catch (const nlohmann::json::exception& error) {  // a number that no double holds
    throw Error(fmt::format("no valid JSON: {}", error.what()));
  }
}

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json json_of(const std::string& text) {
  return text;
}

Json json_of(const Digest& digest) {
  return digest.empty() ? "" : digest.hex();
}

Json json_of(const Dim3& extent) {
  return Json::array({extent.x, extent.y, extent.z});
}

Json json_of(const Configuration& configuration) {
  Json object = Json::object();
  for (const Assignment& assignment : configuration.assignments())
    object[assignment.name] =
        assignment.value.is_word() ? Json(assignment.value.text()) : Json(assignment.value.code());
  return object;
}

Json json_of(const Metrics& metrics) {
  Json object = Json::object();
  for (const auto& [name, value] : metrics) object[name] = json_of(value);
  return object;
}

Json json_of(const std::vector<Dimension>& sizes) {
  Json object = Json::object();
  for (const Dimension& dimension : sizes) object[dimension.name] = dimension.value;
  return object;
}

std::string Where::text() const {
  const std::string before = outer == nullptr ? "" : outer->text();
  return before.empty() ? name : before + '.' + name;
}

void refuse(const Where& where, const Json& found, std::string_view expected) {
  const std::string place = where.text();
  throw Error(
      fmt::format("{} is {}, {} was expected", place.empty() ? "the line" : place, excerpt(found), expected));
}

const Json* JsonReader::find(const char* name) const {
  const auto found = m_object.find(name);
  return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

void read(const Json& json, const Where& where, bool& value) {
  if (!json.is_boolean()) refuse(where, json, "true or false");
  value = json.get<bool>();
}

void read(const Json& json, const Where& where, int& value) {
  read_whole(json, where, value);
}

void read(const Json& json, const Where& where, std::int64_t& value) {
  read_whole(json, where, value);
}

void read(const Json& json, const Where& where, std::uint64_t& value) {
  if (!json.is_number_unsigned()) refuse(where, json, "a whole number that is not negative");
  value = json.get<std::uint64_t>();
}

void read(const Json& json, const Where& where, double& value) {
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "inf" || json == "-inf") {
    value = std::copysign(std::numeric_limits<double>::infinity(), json == "inf" ? 1.0 : -1.0);
  } else if (json == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    refuse(where, json, "a number");
  }
}

void read(const Json& json, const Where& where, std::string& value) {
  if (!json.is_string() || json.get_ref<const std::string&>().size() > longest_text)
    refuse(where, json, fmt::format("text of at most {} bytes", longest_text));
  value = json.get<std::string>();
}

void read(const Json& json, const Where& where, Digest& value) {
  if (!json.is_string()) refuse(where, json, "an identifier");
  const auto& hex = json.get_ref<const std::string&>();
  try {
    value = hex.empty() ? Digest{} : Digest::from_hex(hex);
  } catch (const Error&) {
    refuse(where, json, "an identifier of 32 hexadecimal digits");
  }
}

void read(const Json& json, const Where& where, Dim3& value) {
  const auto whole = [](const Json& item) { return item.is_number_integer(); };
  if (!json.is_array() || json.size() != 3 || !std::all_of(json.begin(), json.end(), whole))
    refuse(where, json, "three whole numbers");
  value = {json[0].get<std::int64_t>(), json[1].get<std::int64_t>(), json[2].get<std::int64_t>()};
}

void read(const Json& json, const Where& where, Configuration& value) {
  require_object(json, where, "an object of parameters");
  std::vector<Assignment> assignments;
  for (const auto& [name, item] : json.items()) {
    if (!item.is_number_integer() && !item.is_string()) refuse(where, item, "a whole number or a word");
    assignments.push_back(
        {name, item.is_string() ? Value(item.get<std::string>()) : Value(item.get<std::int64_t>())});
  }
  value = Configuration(std::move(assignments));
}

void read(const Json& json, const Where& where, Metrics& value) {
  require_object(json, where, "an object of metrics");
  value.clear();
  for (const auto& [name, item] : json.items()) read(item, where, value[name]);
}

void read(const Json& json, const Where& where, std::vector<Dimension>& value) {
  require_object(json, where, "an object of sizes");
  value.clear();
  for (const auto& [name, item] : json.items()) {
    if (!item.is_number_integer() || item.get<std::int64_t>() < 1) refuse(where, item, "a positive size");
    value.push_back({name, item.get<std::int64_t>()});
  }
}

}  // namespace db
