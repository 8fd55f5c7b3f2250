#include "db/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Error;

constexpr int deepest = 8;

/// What was found, short enough for a message.
std::string excerpt(const Json& value) {
  constexpr std::size_t longest = 40;
  std::string text = json_line(value);
  if (text.size() > longest) text = text.substr(0, longest) + "…";
  return text;
}

}  // namespace

Json parse_json(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw Error(fmt::format("JSON is nested deeper than {} levels", deepest));
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("no valid JSON: {}", error.what()));
  }
}

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

bool read_number(const Json& value, double& number) {
  if (value.is_number()) {
    number = value.get<double>();
    return true;
  }
  if (value == "inf" || value == "-inf") {
    number = std::copysign(std::numeric_limits<double>::infinity(), value == "inf" ? 1.0 : -1.0);
    return true;
  }
  number = std::numeric_limits<double>::quiet_NaN();
  return value == "nan";
}

Fields::Fields(const Json& object, std::string where) : m_object(&object), m_where(std::move(where)) {
  if (!object.is_object()) {
    throw Error(fmt::format("{} is {}, an object was expected", m_where.empty() ? "the line" : m_where,
                            excerpt(object)));
  }
}

std::string Fields::path(const char* name) const {
  return m_where.empty() ? name : m_where + '.' + name;
}

void Fields::refuse(const char* name, const std::string& expected) const {
  const auto found = m_object->find(name);
  const std::string what = found == m_object->end() ? "missing" : excerpt(*found);
  throw Error(fmt::format("{} is {}, {} was expected", path(name), what, expected));
}

bool Fields::has(const char* name) const {
  const auto found = m_object->find(name);
  return found != m_object->end() && !found->is_null();
}

const Json& Fields::value(const char* name) const {
  const auto found = m_object->find(name);
  if (found == m_object->end()) refuse(name, "a value");
  return *found;
}

const Json& Fields::array(const char* name, std::size_t most) const {
  const Json& list = value(name);
  if (!list.is_array() || list.size() > most)
    refuse(name, fmt::format("an array of at most {} values", most));
  return list;
}

Fields Fields::object(const char* name) const {
  if (!value(name).is_object()) refuse(name, "an object");
  return Fields(value(name), path(name));
}

std::string Fields::text(const char* name, std::size_t longest) const {
  const Json& found = value(name);
  if (!found.is_string() || found.get_ref<const std::string&>().size() > longest) {
    refuse(name, fmt::format("text of at most {} bytes", longest));
  }
  return found.get<std::string>();
}

std::int64_t Fields::integer(const char* name, std::int64_t least, std::int64_t most) const {
  const Json& found = value(name);
  const bool fits =
      found.is_number_unsigned() ? found.get<std::uint64_t>() <= INT64_MAX : found.is_number_integer();
  if (!fits || found.get<std::int64_t>() < least || found.get<std::int64_t>() > most) {
    refuse(name, fmt::format("a whole number from {} to {}", least, most));
  }
  return found.get<std::int64_t>();
}

std::uint64_t Fields::natural(const char* name) const {
  const Json& found = value(name);
  if (!found.is_number_unsigned()) refuse(name, "a whole number that is not negative");
  return found.get<std::uint64_t>();
}

int Fields::small(const char* name) const {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(integer(name, -most, most));
}

double Fields::real(const char* name) const {
  double number = 0;
  if (!read_number(value(name), number)) refuse(name, "a number");
  return number;
}

bool Fields::flag(const char* name) const {
  if (!value(name).is_boolean()) refuse(name, "true or false");
  return value(name).get<bool>();
}

tuner::model::Digest Fields::digest(const char* name) const {
  const std::string hex = text(name, 32);
  if (hex.empty()) return {};
  try {
    return tuner::model::Digest::from_hex(hex);
  } catch (const Error&) {
    refuse(name, "an identifier of 32 hexadecimal digits");
  }
}

tuner::model::ElementType Fields::type(const char* name) const {
  const auto type = tuner::model::parse_element_type(text(name));
  if (!type) refuse(name, "an element type such as float");
  return *type;
}

tuner::model::TrialStatus Fields::status(const char* name) const {
  const auto status = tuner::model::parse_trial_status(text(name));
  if (!status) refuse(name, "a trial status such as ok");
  return *status;
}

}  // namespace db
