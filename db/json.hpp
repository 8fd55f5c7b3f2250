#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"

namespace db {

/// Keeps the order in which keys were written.
using Json = nlohmann::ordered_json;

/// Parses text that is not trusted: throws model::Error where it is no JSON or is nested deeper than anything
/// of ours.
Json parse_json(std::string_view text);
/// One line; bytes that are not UTF-8 become U+FFFD.
std::string json_line(const Json& value);

/// JSON has no infinity and no NaN: they are the strings "inf", "-inf", "nan".
Json json_number(double value);

/// Text of fields that may be long: logs and details.
constexpr std::size_t longest_text = std::size_t{16} << 20U;

/// An object whose fields are read with their kind and bounds checked. Throws model::Error that names the
/// field and what was found instead. `object` must outlive it.
class Fields {
 public:
  /// `where` begins the names in errors: `measurement`.
  explicit Fields(const Json& object, std::string where = "");

  bool has(const char* name) const;  ///< present and not null
  const Json& value(const char* name) const;
  const Json& array(const char* name, std::size_t most) const;
  Fields object(const char* name) const;
  std::string text(const char* name, std::size_t longest = 65536) const;
  std::int64_t integer(const char* name, std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX) const;
  std::uint64_t natural(const char* name) const;
  int small(const char* name) const;
  double real(const char* name) const;
  bool flag(const char* name) const;
  tuner::model::Digest digest(const char* name) const;  ///< "" is the empty one
  tuner::model::ElementType type(const char* name) const;
  tuner::model::TrialStatus status(const char* name) const;

  /// Throws: `name` is `found`, `expected` was expected.
  [[noreturn]] void refuse(const char* name, const std::string& expected) const;

 private:
  std::string path(const char* name) const;

  const Json* m_object;
  std::string m_where;
};

/// The inverse of json_number(); false where `value` is none.
bool read_number(const Json& value, double& number);

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
