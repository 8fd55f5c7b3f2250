#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace config {

struct Member;

/// A TOML value as the readers of this room see it: members in the order written, everything with its place.
struct Node {
  enum class Kind { text, integer, real, boolean, time, list, table };
  Kind kind = Kind::table;
  tuner::model::SourceLocation where;     ///< of the value's first character; a string's is its quote
  tuner::model::SourceLocation contents;  ///< strings: of the first character inside the quotes
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<Node> items;      ///< lists
  std::vector<Member> members;  ///< tables

  /// Null where there is no such key, or this is no table.
  const Member* find(std::string_view key) const;
  /// For messages: `string "abc"`, `integer 3`, `list of 2`, `table`. Long strings are cut.
  std::string described() const;
};

struct Member {
  std::string key;
  tuner::model::SourceLocation where;  ///< of the key; of the header for `[key]`
  Node value;
};

}  // namespace config
