#pragma once
#include <fmt/format.h>

#include <string>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/lexer.hpp"

namespace tuner::space {

/// An expression beside its value, as in "`ceil_div(M, TILE)` = 0".
template <typename Number>
std::string shown(const Compiled& expression, Number value) {
  const std::string text = excerpt(expression.source->text);
  const std::string number = fmt::format("{}", value);
  return text == number ? number : fmt::format("`{}` = {}", text, number);
}

}  // namespace tuner::space
