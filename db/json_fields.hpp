#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/trial_status.hpp"

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

}  // namespace db
