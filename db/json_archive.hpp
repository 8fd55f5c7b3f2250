#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "db/json_fields.hpp"

namespace db {

/// Writes the fields of a described value (model/fields.hpp) as a JSON object.
class JsonWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    m_object[name] = value_of(value);
  }
  Json take() { return std::move(m_object); }

  static Json value_of(const std::string& text) { return text; }
  static Json value_of(double number) { return json_number(number); }
  template <class T>
  requires std::is_integral_v<T>
  static Json value_of(T number) { return number; }
  template <class T>
  static Json value_of(const std::vector<T>& items) {
    Json array = Json::array();
    for (const T& item : items) array.push_back(value_of(item));
    return array;
  }

 private:
  Json m_object = Json::object();
};

/// Reads them. A field that is missing, as in an export made before there was such a field, keeps its
/// default; one of the wrong kind is refused.
class JsonReader {
 public:
  explicit JsonReader(const Fields& fields, std::size_t most_items = 256)
      : m_fields(fields), m_most_items(most_items) {}
  template <class T>
  void operator()(const char* name, T& value) {
    if (m_fields.has(name)) read(name, value);
  }

 private:
  void read(const char* name, std::string& text) { text = m_fields.text(name); }
  void read(const char* name, double& number) { number = m_fields.real(name); }
  void read(const char* name, bool& flag) { flag = m_fields.flag(name); }
  void read(const char* name, int& number) { number = m_fields.small(name); }
  void read(const char* name, std::int64_t& number) { number = m_fields.integer(name); }
  void read(const char* name, std::vector<double>& numbers) {
    numbers.clear();
    for (const Json& item : m_fields.array(name, m_most_items)) {
      if (!read_number(item, numbers.emplace_back())) m_fields.refuse(name, "numbers");
    }
  }
  void read(const char* name, std::vector<std::string>& names) {
    names.clear();
    for (const Json& item : m_fields.array(name, m_most_items)) {
      if (!item.is_string()) m_fields.refuse(name, "names");
      names.push_back(item.get<std::string>());
    }
  }

  const Fields& m_fields;
  std::size_t m_most_items;
};

/// A described value as a JSON object, and back.
template <class T>
Json object_of(const T& value) {
  JsonWriter writer;
  describe(writer, value);
  return writer.take();
}

template <class T>
T object_from(const Fields& fields, std::size_t most_items = 256) {
  T value{};
  JsonReader reader(fields, most_items);
  describe(reader, value);
  return value;
}

}  // namespace db
