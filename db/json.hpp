#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tuner/model/record_fields.hpp"

namespace db {

/// Keeps the order in which keys were written.
using Json = nlohmann::ordered_json;

/// Parses text that is not trusted: throws model::Error where it is no JSON, or nested deeper than ours is.
Json parse_json(std::string_view text);
/// One line; bytes that are not UTF-8 become U+FFFD.
std::string json_line(const Json& value);

// The one JSON form of each value of the model. A described value (model/fields.hpp) is an object with its
// fields by name; null is a value that is unknown. JSON has no infinity and no NaN: they are the strings
// "inf", "-inf", "nan".

Json json_of(double value);
Json json_of(const std::string& text);
Json json_of(const tuner::model::Digest& digest);                ///< hexadecimal; empty: ""
Json json_of(const tuner::model::Dim3& extent);                  ///< [x, y, z]
Json json_of(const tuner::model::Configuration& configuration);  ///< in written order
Json json_of(const tuner::model::Metrics& metrics);
Json json_of(const std::vector<tuner::model::Dimension>& sizes);
template <class T>
Json json_of(const std::optional<T>& value);
template <class T>
Json json_of(const std::vector<T>& items);

/// The archive that writes.
class JsonWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value);
  template <class T>
  void operator()(const tuner::model::Figure& figure, const T& value);
  Json take() { return std::move(m_object); }

 private:
  Json m_object = Json::object();
};

/// Numbers, enumerators by their words, and whatever is described.
template <class T>
Json json_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(word_of(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else {
    JsonWriter writer;
    describe(writer, value);
    return writer.take();
  }
}

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json();
}

template <class T>
Json json_of(const std::vector<T>& items) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(json_of(item));
  return array;
}

template <class T>
void JsonWriter::operator()(const char* name, const T& value) {
  m_object[name] = json_of(value);
}

template <class T>
void JsonWriter::operator()(const tuner::model::Figure& figure, const T& value) {
  m_object[figure.name] =
      figure.may_be_missing() && tuner::model::is_unknown(value) ? Json() : json_of(value);
}

/// Where in a document a value stands, for errors.
struct Where {
  const char* name = "";
  const Where* outer = nullptr;
  std::string text() const;
};

/// Throws model::Error: what was found there, and what was expected.
[[noreturn]] void refuse(const Where& where, const Json& found, std::string_view expected);

// The inverse, for text that is not trusted: kinds and bounds are checked.

void read(const Json& json, const Where& where, bool& value);
void read(const Json& json, const Where& where, int& value);
void read(const Json& json, const Where& where, std::int64_t& value);
void read(const Json& json, const Where& where, std::uint64_t& value);
void read(const Json& json, const Where& where, double& value);
void read(const Json& json, const Where& where, std::string& value);
void read(const Json& json, const Where& where, tuner::model::Digest& value);
void read(const Json& json, const Where& where, tuner::model::Dim3& value);
void read(const Json& json, const Where& where, tuner::model::Configuration& value);
void read(const Json& json, const Where& where, tuner::model::Metrics& value);
void read(const Json& json, const Where& where, std::vector<tuner::model::Dimension>& value);
template <class T>
void read(const Json& json, const Where& where, std::optional<T>& value);
template <class T>
void read(const Json& json, const Where& where, std::vector<T>& items);
template <class T>
void read(const Json& json, const Where& where, T& value);

/// The archive that reads. A field that is missing, as in an export from before there was such a field, keeps
/// its default; one that goes by an older name there is found by it.
class JsonReader {
 public:
  JsonReader(const Json& object, const Where& where) : m_object(object), m_where(where) {
    if (!object.is_object()) refuse(where, object, "an object");
  }
  template <class T>
  void operator()(const char* name, T& value) {
    if (const Json* found = find(name)) read(*found, {name, &m_where}, value);
  }
  template <class T>
  void operator()(const tuner::model::Figure& figure, T& value) {
    const char* name = find(figure.name) == nullptr ? figure.before : figure.name;
    (*this)(name, value);
  }
  /// Null where it is missing or null.
  const Json* find(const char* name) const;

 private:
  const Json& m_object;
  Where m_where;
};

template <class T>
void read(const Json& json, const Where& where, std::optional<T>& value) {
  if (json.is_null()) return value.reset();
  read(json, where, value.emplace());
}

/// More items no list has.
constexpr std::size_t most_items = 1'000'000;

template <class T>
void read(const Json& json, const Where& where, std::vector<T>& items) {
  if (!json.is_array() || json.size() > most_items) refuse(where, json, "an array of at most 1000000 values");
  items.clear();
  items.reserve(json.size());
  for (const Json& item : json) read(item, where, items.emplace_back());
}

template <class T>
void read(const Json& json, const Where& where, T& value) {
  if constexpr (std::is_enum_v<T>) {
    if (!json.is_string() || !tuner::model::read_word(json.get_ref<const std::string&>(), value))
      refuse(where, json, tuner::model::words_of(value));
  } else {
    JsonReader reader(json, where);
    describe(reader, value);
  }
}

/// A value of `json`, which errors call `name`.
template <class T>
T value_of(const Json& json, const char* name) {
  T value{};
  read(json, Where{name}, value);
  return value;
}

}  // namespace db
