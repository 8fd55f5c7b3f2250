#include "tuner/device/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tuner::device {
namespace {

template <typename Element>
Comparison compare_elements(const CompareRequest& request, std::int64_t begin, std::int64_t end) {
  const auto* got = reinterpret_cast<const Element*>(request.got);
  const auto* expected = reinterpret_cast<const double*>(request.expected);
  const auto* magnitude = reinterpret_cast<const double*>(request.magnitude);
  Comparison out;
  for (std::int64_t i = begin; i < end; ++i) {
    Word bits = 0;
    std::memcpy(&bits, got + i, sizeof(Element));
    const bool poison = bits == poison_bits(static_cast<int>(request.type), static_cast<Word>(i));
    const double error = relative_error(static_cast<double>(got[i]), poison, expected[i], magnitude[i],
                                        request.ignore_unwritten);
    out.largest_error = std::max(out.largest_error, error);
    if (error <= request.bound_factor) continue;
    if (out.wrong_elements++ == 0) out.first_wrong = i;
  }
  return out;
}

/// 0 for no error even where the unit is 0: an exact check gives 0 or infinity.
double in_units_of(double error, double unit) {
  if (error == 0) return 0;
  return unit > 0 ? error / unit : std::numeric_limits<double>::infinity();
}

}  // namespace

model::Verification to_verification(const Comparison& comparison, const CompareRequest& request) {
  model::Verification out;
  out.checked = true;
  out.error_ratio = in_units_of(comparison.largest_error, request.bound_factor);
  out.error_ulp_scale = in_units_of(comparison.largest_error, model::unit_roundoff(request.type));
  out.wrong_elements = comparison.wrong_elements;
  out.first_wrong = comparison.first_wrong;
  return out;
}

Comparison compare_range_on_host(const CompareRequest& request, std::int64_t begin, std::int64_t end) {
  using model::ElementType;
  switch (request.type) {
    case ElementType::float32:
      return compare_elements<float>(request, begin, end);
    case ElementType::float64:
      return compare_elements<double>(request, begin, end);
    case ElementType::int8:
      return compare_elements<std::int8_t>(request, begin, end);
    case ElementType::uint8:
      return compare_elements<std::uint8_t>(request, begin, end);
    case ElementType::int32:
      return compare_elements<std::int32_t>(request, begin, end);
    case ElementType::uint32:
      return compare_elements<std::uint32_t>(request, begin, end);
    case ElementType::int64:
      return compare_elements<std::int64_t>(request, begin, end);
    case ElementType::uint64:
      return compare_elements<std::uint64_t>(request, begin, end);
  }
  return {};
}

Comparison merge(const Comparison& left, const Comparison& right) {
  Comparison out{std::max(left.largest_error, right.largest_error),
                 left.wrong_elements + right.wrong_elements, std::max(left.first_wrong, right.first_wrong)};
  if (left.first_wrong >= 0 && right.first_wrong >= 0)
    out.first_wrong = std::min(left.first_wrong, right.first_wrong);
  return out;
}

model::Verification compare_on_host(const CompareRequest& request) {
  return to_verification(compare_range_on_host(request, 0, request.elements), request);
}

}  // namespace tuner::device
