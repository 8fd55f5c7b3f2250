#include "tuner/model/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/json_text.hpp"

namespace tuner::model {

std::string Problem::size_text() const {
  if (sizes.empty()) return "-";
  const bool cube = std::all_of(sizes.begin(), sizes.end(),
                                [&](const Dimension& d) { return d.value == sizes.front().value; });
  if (cube) return fmt::format("{}", sizes.front().value);
  std::string out;
  for (const Dimension& dimension : sizes) {
    if (!out.empty()) out += 'x';
    out += fmt::format("{}", dimension.value);
  }
  return out;
}

std::string Problem::text() const {
  std::string out = fmt::format("{} {}", size_text(), cuda_name(type));
  if (row_padding != 0) out += fmt::format(" pad {}", row_padding);
  return out;
}

std::string Problem::sizes_json() const {
  std::string out = "{";
  for (const Dimension& dimension : sizes) {
    if (out.size() > 1) out += ',';
    out += fmt::format("{}:{}", json_quote(dimension.name), dimension.value);
  }
  return out + '}';
}

}  // namespace tuner::model
