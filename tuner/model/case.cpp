#include "tuner/model/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/model/configuration.hpp"

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

double distance(const Problem& a, const Problem& b) {
  constexpr double none = std::numeric_limits<double>::infinity();
  constexpr double of_padding = 0.25;
  if (a.sizes.size() != b.sizes.size()) return none;
  double sum = a.row_padding == b.row_padding ? 0 : of_padding * of_padding;
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    if (a.sizes[i].name != b.sizes[i].name) return none;
    const double ratio = static_cast<double>(a.sizes[i].value) / static_cast<double>(b.sizes[i].value);
    sum += std::log2(ratio) * std::log2(ratio);
  }
  return std::sqrt(sum);
}

Digest Environment::key() const {
  DigestBuilder digest;
  digest.add("class 1")
      .add(device)
      .add(driver)
      .add(toolkit)
      .add(cuda_name(type))
      .add(l2)
      .add(method)
      .add(inputs);
  if (!execution.empty()) digest.add(execution);
  return digest.finish();
}

std::string Environment::text() const {
  std::string out =
      fmt::format("{}, driver {}, {}, {}, L2 {}, {}", device, driver, toolkit, cuda_name(type), l2, method);
  if (!execution.empty()) out += ", " + execution;
  if (inputs != "spec") out += fmt::format(", inputs {}", inputs);
  return out;
}

}  // namespace tuner::model
