#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/source_tokens.hpp"

namespace config {

struct SourceField {
  std::string type;  ///< as it is written: `float3`, `unsigned int`
  std::string name;
  std::int64_t length = 0;  ///< of an array; 0: it is none
};

/// A struct that a source defines.
struct SourceStruct {
  std::string name;
  std::vector<SourceField> fields;
  std::int64_t align = 0;  ///< what alignas or __align__ says; 0: nothing
  /// What it has that is more than fields of plain types, as `a function`; empty: nothing. Its fields do not
  /// count then.
  std::string beyond_fields;
  int line = 0;
};

/// Templates are left out.
std::vector<SourceStruct> structs_of(const SourceTokens& source);

}  // namespace config
