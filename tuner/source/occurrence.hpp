#pragma once
#include <cstddef>
#include <string_view>

#include "tuner/source/tokens.hpp"

namespace tuner::source {

/// What leads to the elements of a buffer: a pointer, or a reference to one of them.
struct BufferName {
  std::string_view text;
  bool is_element = false;
  bool is_partial = false;
};

enum class Deed { nothing, read, write, update, alias, call, handed_on };

/// What one occurrence of a pointer in a body comes to.
struct Outcome {
  Deed kind = Deed::nothing;
  std::string_view name = {};  ///< of the alias or the function
  std::size_t argument = 0;    ///< of the call
  std::size_t count = 0;       ///< of its arguments
  bool partial = false;        ///< a member of the element alone
  bool is_element = false;     ///< the alias is a reference to an element
  Tokens element = {};         ///< as it is written
};

/// What is done with the name that stands at `at`.
Outcome outcome_of(Tokens body, std::size_t at, const BufferName& name);

}  // namespace tuner::source
